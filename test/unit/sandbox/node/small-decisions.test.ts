import { backOffMs, goDuration } from '../../../../sandbox/node/backoff.ts';
import { endOf } from '../../../../sandbox/node/container-state.ts';
import { parseQuantity } from '../../../../sandbox/node/quantity.ts';
import {
  crashLoop,
  isSaidToWait,
  restartDelayMs,
  restartPolicyOf,
  shouldRestart,
} from '../../../../sandbox/node/restart.ts';
import { makePod } from './pod-fixtures.ts';

test.each([
  ['2', 2],
  ['1500m', 1.5],
  ['4Gi', 4_294_967_296],
  ['1e3', 1000],
  ['128974848', 128_974_848],
  ['', Number.NaN],
  ['1Xi', Number.NaN],
  ['-1', Number.NaN],
])('the quantity %p is %d', (quantity, value) => {
  expect(parseQuantity(quantity)).toBe(value);
});

test('a back-off doubles up to its maximum', () => {
  const waits = [0, 1, 2, 3, 4, 5, 6].map((attempt) => backOffMs({ baseMs: 10_000, maxMs: 300_000 }, attempt));

  expect(waits).toEqual([10_000, 20_000, 40_000, 80_000, 160_000, 300_000, 300_000]);
});

test('the first restart is immediate', () => {
  const waits = [0, 1, 2].map((restarts) => restartDelayMs({ baseMs: 10_000, maxMs: 300_000 }, restarts));

  expect(waits).toEqual([0, 10_000, 20_000]);
});

test.each([
  [20, '20ms'],
  [10_000, '10s'],
  [80_000, '1m20s'],
  [300_000, '5m0s'],
])('%d ms are %s to a kubelet', (durationMs, text) => {
  expect(goDuration(durationMs)).toBe(text);
});

test('a crash loop names the container and its Pod', () => {
  expect(crashLoop(makePod(), 'main', 10_000)).toEqual({
    reason: 'CrashLoopBackOff',
    message: 'back-off 10s restarting failed container=main pod=agent_ci(uid-1)',
  });
});

test.each([
  ['Always', 0, true],
  ['Always', 1, true],
  ['OnFailure', 0, false],
  ['OnFailure', 1, true],
  ['Never', 1, false],
] as const)('under %s a container that ended with %d is restarted: %p', (policy, exitCode, isRestarted) => {
  expect(shouldRestart(policy, { exitCode })).toBe(isRestarted);
});

test.each([
  { restartPolicy: 'Always', name: 'main', exitCode: 1, isSaid: true },
  { restartPolicy: 'OnFailure', name: 'side', exitCode: 1, isSaid: true },
  { restartPolicy: 'Always', name: 'side', exitCode: 0, isSaid: false },
  { restartPolicy: 'Never', name: 'side', exitCode: 1, isSaid: false },
])('under $restartPolicy, $name, ended with $exitCode, is reported as waiting for its restart: $isSaid', (row) => {
  const pod = makePod({
    restartPolicy: row.restartPolicy,
    initContainers: [{ name: 'side', image: 'agent:1', restartPolicy: 'Always' }],
    containers: [{ name: 'main', image: 'agent:1' }],
  });
  const container = [...pod.spec.initContainers, ...pod.spec.containers].find(({ name }) => name === row.name);

  expect(container && isSaidToWait(pod, container, row)).toBe(row.isSaid);
});

test("an init container restarts until it succeeds, and a sidecar always, whatever the Pod's policy allows", () => {
  const pod = makePod({
    restartPolicy: 'Always',
    initContainers: [
      { name: 'init', image: 'agent:1' },
      { name: 'side', image: 'agent:1', restartPolicy: 'Always' },
    ],
  });
  const containers = [...pod.spec.initContainers, ...pod.spec.containers];

  expect(containers.map((container) => restartPolicyOf(pod, container))).toEqual(['OnFailure', 'Always', 'Always']);
});

test.each([
  [
    { code: 0, isOutOfMemory: false },
    { exitCode: 0, reason: 'Completed' },
  ],
  [
    { code: 3, isOutOfMemory: false },
    { exitCode: 3, reason: 'Error' },
  ],
  [
    { code: null, signalNumber: 15, isOutOfMemory: false },
    { exitCode: 143, signal: 15, reason: 'Error' },
  ],
  [
    { code: null, signalNumber: 9, isOutOfMemory: true },
    { exitCode: 137, signal: 9, reason: 'OOMKilled' },
  ],
])('a process that exits with %j ends as %j', (exit, end) => {
  expect(endOf(exit)).toEqual(end);
});

import type { PodView } from '../../../../core/pod/kubernetes-objects.ts';
import { observePod, type PodLook } from '../../../../logic/steps/observe-pod.ts';
import { PodMonitor } from '../../../../logic/steps/pod-monitor.ts';
import { epochMs } from '../../../contract/launch-fixtures.ts';
import { beforeCalls } from '../../../support/around-calls.ts';
import { testAgentName, testLaunchId } from '../../../support/make-test-deps.ts';
import { running, waiting } from '../../../support/pod-view.ts';
import { launchAt, withPod } from '../../../support/run-steps.ts';

type Status = NonNullable<PodView['status']>;

const pulling: Status = { phase: 'Pending', containerStatuses: [waiting('agent', 'ErrImagePull', 'not found')] };
const creating: Status = { phase: 'Pending', containerStatuses: [waiting('agent', 'ContainerCreating')] };
const well: Status = { phase: 'Running', containerStatuses: [running('agent')] };

/** A launch whose Pod has been in a status for a while, and a look at it. */
async function lookedAt(status: Status, agoMs = 0, event?: string) {
  const { deps, state } = await launchAt(withPod);
  const { cluster, clock, launches } = deps;
  const monitorNow = async () => {
    const signal = (await launches.get(testLaunchId))?.signal;
    return new PodMonitor(deps, cluster, state, { launchId: testLaunchId }, signal);
  };
  cluster.report(testAgentName, status);
  if (event !== undefined) cluster.reports.addEvent(testAgentName, { reason: event, message: 'no CNI' });
  await (await monitorNow()).conclude();
  clock.advance(agoMs);
  const seen: unknown[] = [];
  const startedEpochMs = deps.nowEpochMs();
  const look = async (options: Partial<PodLook> = {}) =>
    observePod(
      { pods: cluster.pods, monitor: await monitorNow(), nowEpochMs: deps.nowEpochMs },
      state,
      { forMs: 20_000, ...options },
      async (pod) => {
        seen.push([deps.nowEpochMs() - startedEpochMs, pod?.status?.phase]);
        return pod?.status?.hostIP;
      },
    );
  const tookMs = () => deps.nowEpochMs() - startedEpochMs;
  const reportAfter = (ms: number, next: Status) => clock.after(ms, () => cluster.report(testAgentName, next));
  const countEventReads = () => {
    const reads = { count: 0 };
    beforeCalls(cluster.reports, 'events', () => (reads.count += 1));
    return reads;
  };
  return { look, seen, tookMs, reportAfter, clock, countEventReads };
}

test('a look ends with its answer', async () => {
  const { look, tookMs, reportAfter } = await lookedAt(well);
  reportAfter(3000, { ...well, hostIP: '10.0.0.7' });

  expect(await look()).toStrictEqual({ answer: '10.0.0.7' });
  expect(tookMs()).toBe(3000);
});

test('a look without an answer lasts its time, sees each state once, and concludes with the last one', async () => {
  const { look, seen, tookMs, reportAfter } = await lookedAt({ phase: 'Pending' });
  reportAfter(3000, well);

  const { answer, conclusion } = await look();

  expect(answer).toBeUndefined();
  expect(conclusion).toMatchObject({ detail: 'phase Running; container agent running' });
  expect(seen).toEqual([
    [0, 'Pending'],
    [3000, 'Running'],
  ]);
  expect(tookMs()).toBe(20_000);
});

test.each([
  { what: 'in the middle of a look', agoMs: 18_000, tookMs: 12_000 },
  { what: 'shortly after a look, which lasts until then', agoMs: 9000, tookMs: 21_000 },
])('trouble fails the launch when its grace period ends $what', async ({ agoMs, tookMs: expectedMs }) => {
  const { look, tookMs } = await lookedAt(pulling, agoMs);

  await expect(look()).rejects.toThrow('ImagePullFailed: ErrImagePull: not found (for 30 s; grace is 30 s)');
  expect(tookMs()).toBe(expectedMs);
});

test('trouble that only Events show is read from them again only when its grace period ends', async () => {
  const { look, tookMs, countEventReads } = await lookedAt(creating, 18_000, 'FailedCreatePodSandBox');
  const reads = countEventReads();

  await expect(look()).rejects.toMatchObject({ code: 'ContainerStartFailed' });

  expect(tookMs()).toBe(12_000);
  expect(reads.count).toBe(2);
});

test('a look ends in time when a grace period goes on for long after it', async () => {
  const { look, tookMs } = await lookedAt(pulling, 7000);

  expect((await look()).conclusion).toMatchObject({ graceEndEpochMs: epochMs + 30_000 });
  expect(tookMs()).toBe(20_000);
});

test('a look goes on to its end when trouble ends within its grace period', async () => {
  const { look, seen, tookMs, reportAfter } = await lookedAt(pulling, 18_000);
  reportAfter(5000, well);

  const { conclusion } = await look();

  expect(conclusion).toMatchObject({ detail: 'phase Running; container agent running', graceEndEpochMs: undefined });
  expect(seen).toContainEqual([5000, 'Running']);
  expect(tookMs()).toBe(20_000);
});

test('an aborted look has neither an answer nor a conclusion', async () => {
  const { look, tookMs, clock } = await lookedAt(well);
  const over = new AbortController();
  clock.after(4000, () => over.abort());

  expect(await look({ signal: over.signal })).toStrictEqual({});
  expect(tookMs()).toBe(4000);
});

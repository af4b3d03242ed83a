import { setTimeout as sleep } from 'node:timers/promises';
import { agentNameOf, apiLaunchId } from '../../core/launch/names.ts';
import type { FaultEffect, RequestMatch } from '../../sandbox/faults.ts';
import { expectOneAgent, type FailedAttempts, recordFailedAttempts } from '../support/expect-one-agent.ts';
import { holdAddresses } from '../support/held-addresses.ts';
import { startTestRuntime, type TestRuntime } from '../support/start-test-runtime.ts';
import { askForSweep } from './ask-for-sweep.ts';
import { registration } from './jobs.ts';

// One case for each thing that an API server does to a caller: it refuses for now, throttles, loses an answer, does not
// answer, lets a watch fall silent, is gone. The contract and unit tests of the adapters have every status and every way
// in which a watch ends; the simulation has them in combination.

const createService = { verb: 'create', resource: 'services' } as const;
const createPod = { verb: 'create', resource: 'pods' } as const;
const podWatch = { verb: 'watch', resource: 'pods' } as const;
/** The sandbox is in this process: a timer that starts later and is longer fires after those of a fault. */
const afterTheFaultMs = 50;

let davit: TestRuntime;
let failedAttempts: FailedAttempts;
const addresses = holdAddresses();
beforeAll(async () => {
  davit = await startTestRuntime({ sandbox: { node: { behaviour: { forPod: addresses.forPod } } } });
  failedAttempts = recordFailedAttempts(davit.runtime);
});
afterEach(() => davit.cluster.sandbox.faults.clear());
afterAll(async () => {
  await davit[Symbol.asyncDispose]();
});

// Comes first: no earlier launch has left a watch that would hear of the address.
test('an address that a node reports late is found by reading when its watch falls silent', async () => {
  const { faults } = davit.cluster.sandbox;
  const launchId = apiLaunchId('silent watch');
  addresses.hold(launchId);
  faults.add({ match: podWatch, effect: { kind: 'silence-watch', afterMs: 0 }, count: 1 });
  const watched = nextRequest(podWatch);

  await request('silent watch');
  await watched;
  await sleep(afterTheFaultMs);
  addresses.tell(davit.cluster.sandbox, launchId);

  await expectOneAgent(davit, launchId);
  expect(failedAttempts.get(launchId)).toBeUndefined();
  expect(faults.count({ verb: 'get', resource: 'pods', name: agentNameOf(launchId) })).toBeGreaterThan(0);
});

test('a launch waits while a quota is full, and works when it has room', async () => {
  const message = 'pods "x" is forbidden: exceeded quota: agents, requested: pods=1, used: pods=10, limited: pods=10';
  davit.cluster.sandbox.faults.add({ match: createPod, effect: answer(403, 'Forbidden', message), count: 1 });

  const launchId = await request('quota');

  await expectOneAgent(davit, launchId);
  expect(new Set(failedAttempts.get(launchId))).toEqual(new Set(['QuotaExceeded']));
});

describe('one Service and one Pod are created, and work, when the first attempt at each is', () => {
  test.each<[what: string, effect: FaultEffect, status: number | undefined, ...codes: string[]]>([
    ['throttled with 429', answer(429, 'TooManyRequests', 'slow down', 1), 429, 'ClusterThrottled'],
    ['cut off after it took effect, so that nobody knows', { kind: 'drop', when: 'after' }, undefined],
    ['not answered at all', { kind: 'hang' }, undefined, 'ClusterUnreachable'],
  ])('%s', async (what, effect, status, ...codes) => {
    const { faults } = davit.cluster.sandbox;
    const before = faults.requests.length;
    faults.add({ match: createService, effect, count: 1 });
    faults.add({ match: createPod, effect, count: 1 });

    const launchId = await request(what);

    await expectOneAgent(davit, launchId);
    const creates = faults.requests.slice(before).filter(({ verb }) => verb === 'create');
    expect(creates.find(({ resource }) => resource === 'services')?.code).toBe(status);
    expect(creates.find(({ resource }) => resource === 'pods')?.code).toBe(status);
    // On a slow machine, the agent connects after the first look for it.
    expect([...codes, 'ConnectPending']).toEqual(expect.arrayContaining([...new Set(failedAttempts.get(launchId))]));
  });
});

test('no Pod is created while its Service has no nodePort, and the token has the later nodePort', async () => {
  const { faults, store } = davit.cluster.sandbox;
  const launchId = apiLaunchId('held nodePort');
  const agentName = agentNameOf(launchId);
  faults.add({ match: createService, effect: { kind: 'late-node-ports', delayMs: 600_000 }, count: 1 });
  const waitedFor = nextRequest({ verb: 'watch', resource: 'services' });
  const podCreated = davit.history.until('pods', ({ metadata }) => metadata.name === agentName);

  await request('held nodePort');
  await Promise.race([waitedFor, podCreated]);
  const podsBefore = davit.history.created('pods').filter((name) => name === agentName);
  const service = store.get('services', 'davit-agents', agentName);
  // An update allocates what is missing.
  if (service !== undefined) store.update('services', service);

  await expectOneAgent(davit, launchId);
  expect(podsBefore).toEqual([]);
});

test('a sweep reports a launch as cleaning while its cluster is away, and has it cleaned up afterwards', async () => {
  const launchId = await request('away');
  await registration(davit, { agentName: agentNameOf(launchId) });
  davit.cluster.sandbox.faults.add({ match: {}, effect: { kind: 'drop', when: 'before' } });

  await davit.launches.end(launchId);
  const away = await askForSweep(davit, { graceSeconds: 0 });
  const meanwhile = await davit.launches.show(launchId);
  davit.cluster.sandbox.faults.clear();
  const back = await askForSweep(davit, { graceSeconds: 0 });
  const { status } = await davit.launches.until(launchId, 'terminated', 'failed');

  expect(away).toMatchObject({ complete: false, findings: [] });
  expect(away.errors).toEqual([
    { subject: 'cluster sandbox, namespace davit-agents', message: expect.stringContaining('ClusterUnreachable') },
  ]);
  expect(meanwhile).toMatchObject({ status: 'cleaning', ending: { by: 'DELETE /launches' } });
  expect(back).toMatchObject({ complete: true, errors: [] });
  expect(status).toBe('terminated');
  await davit.history.untilNothingIsLeft();
});

function answer(code: number, reason: string, message: string, retryAfterSeconds?: number): FaultEffect {
  const wait = retryAfterSeconds === undefined ? {} : { retryAfterSeconds };
  return { kind: 'answer', answer: { code, reason, message, ...wait } };
}

function request(jobId: string): Promise<string> {
  return davit.launches.request({ profile: 'linux', jobId });
}

/** Resolves when the cluster's API server gets such a request. */
function nextRequest({ verb, resource }: Required<Pick<RequestMatch, 'verb' | 'resource'>>): Promise<void> {
  return new Promise((resolve) => {
    const stop = davit.cluster.sandbox.faults.onRequest((seen) => {
      if (seen.verb !== verb || seen.resource !== resource) return;
      stop();
      resolve();
    });
  });
}

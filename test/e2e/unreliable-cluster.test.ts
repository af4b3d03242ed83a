import { setTimeout as sleep } from 'node:timers/promises';
import { agentNameOf, apiLaunchId } from '../../core/launch/names.ts';
import type { FaultEffect } from '../../sandbox/faults.ts';
import { expectOneAgent, type FailedAttempts, recordFailedAttempts } from '../support/expect-one-agent.ts';
import { holdAddresses } from '../support/held-addresses.ts';
import { startTestRuntime, type TestRuntime } from '../support/start-test-runtime.ts';
import { clusterRequest, comes } from './moments.ts';

// One case for each thing that an API server does to a caller: it throttles, loses an answer, does not answer, lets a watch
// fall silent. That it is gone is in clusters.test.ts and failover.test.ts. The contract and unit tests of the adapters have
// every status and every way in which a watch ends; the simulation has them in combination.

const createService = { verb: 'create', resource: 'services' } as const;
const createPod = { verb: 'create', resource: 'pods' } as const;
const podWatch = { verb: 'watch', resource: 'pods' } as const;
const slowDown = { code: 429, reason: 'TooManyRequests', message: 'slow down', retryAfterSeconds: 1 };
const throttled: FaultEffect = { kind: 'answer', answer: slowDown };
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
  const watched = comes(davit, clusterRequest(podWatch));

  await request('silent watch');
  await watched;
  await sleep(afterTheFaultMs);
  addresses.tell(davit.cluster.sandbox, launchId);

  await expectOneAgent(davit, launchId);
  expect(failedAttempts.get(launchId)).toBeUndefined();
  expect(faults.count({ verb: 'get', resource: 'pods', name: agentNameOf(launchId) })).toBeGreaterThan(0);
});

describe('one Service and one Pod are created, and work, when the first attempt at each is', () => {
  test.each<[what: string, effect: FaultEffect, status: number | undefined, ...codes: string[]]>([
    ['throttled with 429', throttled, 429, 'ClusterThrottled'],
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

function request(jobId: string): Promise<string> {
  return davit.launches.request({ profile: 'linux', jobId });
}

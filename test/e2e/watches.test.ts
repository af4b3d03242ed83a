import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { agentNameOf, apiLaunchId } from '../../functions/domain/names.ts';
import type { FaultEffect, RequestMatch } from '../../local/cluster/faults.ts';
import { expectOneAgent, type FailedAttempts, recordFailedAttempts } from '../support/expect-one-agent.ts';
import { holdAddresses } from '../support/held-addresses.ts';
import { startTestRuntime, type TestRuntime } from '../support/start-test-runtime.ts';

jest.setTimeout(120_000);

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

describe('an address that is told late is seen, by reading, although the watch for it', () => {
  test.each<[what: string, effect: FaultEffect, count: number]>([
    ['closes', { kind: 'close-watch', afterMs: 0 }, 1],
    ['closes at once, each time', { kind: 'close-watch', afterMs: 0 }, Number.POSITIVE_INFINITY],
    ['falls silent', { kind: 'silence-watch', afterMs: 0 }, 1],
    ['is told that its version is expired', { kind: 'expire-watch' }, 1],
    ['is cut off before it begins', { kind: 'drop', when: 'before' }, 1],
  ])('%s', async (what, effect, count) => {
    const { faults } = davit.cluster.sandbox;
    const launchId = apiLaunchId(what);
    addresses.hold(launchId);
    faults.add({ match: podWatch, effect, count });
    const watched = nextRequest(podWatch);

    await davit.launches.request({ profile: 'linux', jobId: what });
    await watched;
    await sleep(afterTheFaultMs);
    addresses.tell(davit.cluster.sandbox, launchId);

    await expectOneAgent(davit, launchId);
    expect(failedAttempts.get(launchId)).toBeUndefined();
    expect(faults.count({ verb: 'get', resource: 'pods', name: agentNameOf(launchId) })).toBeGreaterThan(0);
  });
});

test('a nodePort that comes late is seen although the watch for it closes', async () => {
  const { faults } = davit.cluster.sandbox;
  faults.add({ match: { verb: 'create', resource: 'services' }, effect: { kind: 'late-node-ports', delayMs: 300 } });
  faults.add({ match: { verb: 'watch', resource: 'services' }, effect: { kind: 'close-watch', afterMs: 0 } });

  const launchId = await davit.launches.request({ profile: 'linux', jobId: 'late nodePort' });

  await expectOneAgent(davit, launchId);
  expect(failedAttempts.get(launchId)).toBeUndefined();
});

test('no Pod is created while its Service has no nodePort, and the token has the one that comes', async () => {
  const { faults, store } = davit.cluster.sandbox;
  const launchId = apiLaunchId('held nodePort');
  const agentName = agentNameOf(launchId);
  faults.add({
    match: { verb: 'create', resource: 'services' },
    effect: { kind: 'late-node-ports', delayMs: 600_000 },
    count: 1,
  });
  const waitedFor = nextRequest({ verb: 'watch', resource: 'services' });
  const podCreated = davit.history.until('pods', ({ metadata }) => metadata.name === agentName);

  await davit.launches.request({ profile: 'linux', jobId: 'held nodePort' });
  await Promise.race([waitedFor, podCreated]);
  const podsBefore = davit.history.created('pods').filter((name) => name === agentName);
  const service = store.get('services', 'davit-agents', agentName);
  // An update allocates what is missing.
  if (service !== undefined) store.update('services', service);

  await expectOneAgent(davit, launchId);
  expect(podsBefore).toEqual([]);
});

/** Resolves when the cluster's API server gets such a request. */
function nextRequest({ verb, resource }: Required<Pick<RequestMatch, 'verb' | 'resource'>>): Promise<void> {
  return new Promise((resolve) => {
    const stop = davit.cluster.sandbox.faults.onRequest((request) => {
      if (request.verb !== verb || request.resource !== resource) return;
      stop();
      resolve();
    });
  });
}

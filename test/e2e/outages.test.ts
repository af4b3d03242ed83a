import { afterAll, afterEach, beforeAll, describe, expect, jest, test } from '@jest/globals';
import type { FaultEffect } from '../../local/cluster/faults.ts';
import { StatusError } from '../../local/cluster/store/status-error.ts';
import { expectOneAgent, type FailedAttempts, recordFailedAttempts } from '../support/expect-one-agent.ts';
import { startTestRuntime, type TestRuntime } from '../support/start-test-runtime.ts';
import { until } from '../support/until.ts';

jest.setTimeout(120_000);

const createService = { verb: 'create', resource: 'services' } as const;
const createPod = { verb: 'create', resource: 'pods' } as const;

let davit: TestRuntime;
let failedAttempts: FailedAttempts;
beforeAll(async () => {
  davit = await startTestRuntime();
  failedAttempts = recordFailedAttempts(davit.runtime);
});
afterEach(() => davit.cluster.sandbox.faults.clear());
afterAll(async () => {
  await davit[Symbol.asyncDispose]();
});

describe('a launch waits, and works, when', () => {
  test('a quota is full for a while', async () => {
    const { faults } = davit.cluster.sandbox;
    const message = 'pods "x" is forbidden: exceeded quota: agents, requested: pods=1, used: pods=10, limited: pods=10';
    faults.add({ match: createPod, effect: answer(403, 'Forbidden', message), count: 1 });

    const launchId = await request('quota');

    await expectOneAgent(davit, launchId);
    expect(new Set(failedAttempts.get(launchId))).toEqual(new Set(['QuotaExceeded']));
  });

  test('every nodePort of the cluster is taken for a while', async () => {
    const takers = takeAllNodePorts();

    const launchId = await request('range');
    await untilAnAttemptFails(launchId);
    for (const name of takers) davit.cluster.sandbox.store.delete('services', 'davit-agents', name);

    await expectOneAgent(davit, launchId);
    expect(new Set(failedAttempts.get(launchId))).toEqual(new Set(['NodePortRangeFull']));
  });

  test('the API server cannot be reached for a while', async () => {
    const { faults } = davit.cluster.sandbox;
    faults.add({ match: {}, effect: { kind: 'drop', when: 'before' }, count: 4 });

    const launchId = await request('unreachable');

    await expectOneAgent(davit, launchId);
    expect(new Set(failedAttempts.get(launchId))).toEqual(new Set(['ClusterUnreachable']));
  });
});

describe('one Service and one Pod are created, and work, when each create is first', () => {
  test.each<[what: string, effect: FaultEffect, status: number | undefined, ...codes: string[]]>([
    ['throttled with 429', answer(429, 'TooManyRequests', 'slow down', 1), 429, 'ClusterThrottled'],
    ['answered 503 with a time to wait', answer(503, 'ServiceUnavailable', 'busy', 1), 503, 'ClusterThrottled'],
    ['answered 500', answer(500, 'InternalError', 'etcdserver: request timed out'), 500, 'ClusterFault'],
    ['cut off before it takes effect', { kind: 'drop', when: 'before' }, undefined, 'ClusterUnreachable'],
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
    expect(codes).toEqual(expect.arrayContaining([...new Set(failedAttempts.get(launchId))]));
  });
});

function answer(code: number, reason: string, message: string, retryAfterSeconds?: number): FaultEffect {
  const wait = retryAfterSeconds === undefined ? {} : { retryAfterSeconds };
  return { kind: 'answer', answer: { code, reason, message, ...wait } };
}

function request(jobId: string): Promise<string> {
  return davit.launches.request({ profile: 'linux', jobId });
}

async function untilAnAttemptFails(launchId: string): Promise<void> {
  await until({
    subscribe: (changed) => davit.runtime.onExecutionEvent(changed),
    look: () => failedAttempts.get(launchId),
    missing: () => `no attempt of ${launchId} has failed`,
  });
}

/** Makes Services until there is no nodePort any more. @returns their names */
function takeAllNodePorts(): string[] {
  const { store } = davit.cluster.sandbox;
  const spec = { type: 'NodePort', ports: [{ port: 80 }] };
  const names: string[] = [];
  for (;;) {
    const metadata = { name: `taker-${names.length}`, namespace: 'davit-agents' };
    try {
      store.create('services', { apiVersion: 'v1', kind: 'Service', metadata, spec });
    } catch (error) {
      if (error instanceof StatusError && error.message.includes('range is full')) return names;
      throw error;
    }
    names.push(metadata.name);
  }
}

import { afterAll, beforeAll, beforeEach, expect, jest, test } from '@jest/globals';
import type { FunctionName } from '../../functions/manifest.ts';
import type { FaultEffect, FaultRule } from '../../local/cluster/faults.ts';
import { untilExecutionEnds } from '../support/execution-events.ts';
import { startTestRuntime, type TestRuntime } from '../support/start-test-runtime.ts';
import { newJob, registration } from './jobs.ts';
import { after, attemptOf, awsRequest, clusterRequest, created, entered, killAt, type Moment } from './moments.ts';
import { callWitness, type Witness } from './witness.ts';

jest.setTimeout(120_000);

let davit: TestRuntime;
let seen: Witness;

beforeAll(async () => {
  davit = await startTestRuntime();
  seen = callWitness(davit);
});
afterAll(async () => {
  seen[Symbol.dispose]();
  await davit[Symbol.asyncDispose]();
});
// What is killed as it begins must be there to be killed.
beforeEach(async () => {
  await davit.runtime.functions.warm();
});

interface Killing {
  step: string;
  functionName: FunctionName;
  when: string;
  moment: Moment;
  /** What makes sure that the moment comes. */
  fault?: FaultRule;
}

const hang: FaultEffect = { kind: 'hang' };
const latePorts: FaultRule = {
  match: { verb: 'create', resource: 'services' },
  effect: { kind: 'late-node-ports', delayMs: 300 },
  count: 1,
};

function killing(step: string, functionName: FunctionName, when: string, moment: Moment, fault?: FaultRule): Killing {
  return { step, functionName, when, moment, ...(fault === undefined ? {} : { fault }) };
}

const killings: Killing[] = [
  ['CreateService', 'create-service', 'services'] as const,
  ['CreatePod', 'create-pod', 'pods'] as const,
].flatMap(([step, functionName, resource]) => [
  killing(step, functionName, 'as it begins', attemptOf(step)),
  killing(step, functionName, 'before its object exists', clusterRequest({ verb: 'create', resource }, hang)),
  killing(step, functionName, 'after its object exists', created(resource)),
  killing(step, functionName, 'while it looks at the record', after(created(resource), awsRequest('GetItem'))),
]);
killings.push(
  killing('PollNodePort', 'poll-node-port', 'as it begins', attemptOf('PollNodePort')),
  killing(
    'PollNodePort',
    'poll-node-port',
    'while it reads',
    clusterRequest({ verb: 'get', resource: 'services' }, hang),
  ),
  killing(
    'PollNodePort',
    'poll-node-port',
    'while it watches',
    clusterRequest({ verb: 'watch', resource: 'services' }),
    latePorts,
  ),
  killing('PollHostIP', 'poll-host-ip', 'as it begins', attemptOf('PollHostIP')),
  killing('PollHostIP', 'poll-host-ip', 'while it watches', clusterRequest({ verb: 'watch', resource: 'pods' }, hang)),
  killing('PublishToken', 'publish-token', 'as it begins', attemptOf('PublishToken')),
  killing(
    'PublishToken',
    'publish-token',
    'after its token exists',
    after(entered('PublishToken'), awsRequest('PutItem')),
  ),
  killing('AwaitAgent', 'await-agent', 'as it begins', attemptOf('AwaitAgent')),
  killing(
    'AwaitAgent',
    'await-agent',
    'while it watches',
    after(entered('AwaitAgent'), clusterRequest({ verb: 'watch', resource: 'pods' })),
  ),
);

test.each(killings)(
  '$step killed $when is repeated, and the launch works',
  async ({ step, functionName, moment, fault }) => {
    const job = newJob();
    const calm = fault && davit.cluster.sandbox.faults.add(fault);
    const killed = killAt(davit, functionName, moment);

    await davit.github.deliver(job, 'queued');
    const [{ token }] = await Promise.all([registration(davit, job), killed]);
    const { status } = await untilExecutionEnds(davit.runtime, job.launchId);
    await davit.github.deliver(job, 'completed');
    const ended = await davit.launches.until(job.launchId, 'terminated', 'failed');

    calm?.();
    expect(seen.failedAttempts(job.launchId)).toContain(`${step}: Runtime.ExitError`);
    expect({ status, states: seen.states(job.launchId).length }).toEqual({ status: 'SUCCEEDED', states: 7 });
    expect(seen.created(job.launchId)).toEqual(['Service', 'Pod']);
    expect(token).toMatchObject({ host: '127.0.0.1', port: seen.nodePort(job.launchId) });
    expect(ended.status).toBe('terminated');
    expect(seen.left(job.launchId)).toEqual([]);
  },
);

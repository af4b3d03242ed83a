import { afterAll, beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { untilExecutionEnds } from '../support/execution-events.ts';
import { idle, withProfiles } from '../support/profile-like.ts';
import { startTestRuntime, type TestRuntime } from '../support/start-test-runtime.ts';
import { newJob, registration, untilTaken } from './jobs.ts';
import { after, attemptOf, awsRequest, clusterRequest, deleted, entered, gone, killAt } from './moments.ts';
import { callWitness, type Witness } from './witness.ts';

jest.setTimeout(120_000);

// It takes its time to end, so that there is something to wait for.
const slowToEnd = { ...idle, command: ['sh', '-c', 'trap "sleep 1; exit 0" TERM; sleep 3600 & wait'] };
const broken = { ...idle, command: ['sh', '-c', 'exit 3'] };
const hang = { kind: 'hang' } as const;

let davit: TestRuntime;
let seen: Witness;

beforeAll(async () => {
  const agents = { idle: { agent: idle }, slow: { agent: slowToEnd }, broken: { agent: broken } };
  davit = await startTestRuntime({ changeConfig: (config) => withProfiles(config, agents) });
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

describe('a webhook that is delivered again, as its function was killed', () => {
  test.each(['PutItem', 'StartExecution'])('queued at %s, launches one agent', async (operation) => {
    const job = newJob();
    const killed = killAt(davit, 'webhook', awsRequest(operation));

    const answers = await untilTaken(() => davit.github.deliver(job, 'queued'));
    const { token } = await registration(davit, job);
    await killed;

    expect(answers.map(({ status }) => status)).toEqual([500, 200]);
    expect(answers.at(-1)?.body).toMatchObject({ launchId: job.launchId, duplicate: true });
    expect(seen.created(job.launchId)).toEqual(['Service', 'Pod']);
    expect(token.port).toBe(seen.nodePort(job.launchId));
    await davit.launches.end(job.launchId);
  });

  test.each(['UpdateItem', 'StopExecution', '/invocations'])('completed at %s, leaves nothing', async (operation) => {
    const job = newJob();
    await davit.github.deliver(job, 'queued');
    await registration(davit, job);
    await untilExecutionEnds(davit.runtime, job.launchId);
    const killed = killAt(davit, 'webhook', awsRequest(operation));

    const answers = await untilTaken(() => davit.github.deliver(job, 'completed'));
    await killed;
    const { ending } = await davit.launches.until(job.launchId, 'terminated', 'failed');

    expect(answers.map(({ status }) => status >= 500)).toEqual([true, false]);
    expect(answers.at(-1)?.body).toMatchObject({ launchId: job.launchId, duplicate: true });
    expect(ending).toMatchObject({ outcome: 'terminated', by: 'github workflow_job completed (failure)' });
    expect(seen.left(job.launchId)).toEqual([]);
  });
});

describe('a request to the launches API that is sent again, as its function was killed', () => {
  test.each(['PutItem', 'StartExecution'])('POST at %s, launches one agent', async (operation) => {
    const body = { profile: 'idle', jobId: `post-${operation}` };
    const killed = killAt(davit, 'launches', awsRequest(operation));

    const answers = await untilTaken(() => davit.launches.post(body));
    await killed;
    const launchId = String(answers.at(-1)?.body['launchId']);
    await davit.history.until('pods', ({ metadata }) => metadata.name === `davit-${launchId}`);
    await davit.launches.end(launchId);
    await davit.launches.until(launchId, 'terminated', 'failed');

    expect(answers.map(({ status }) => status)).toEqual([500, 200]);
    expect(seen.created(launchId)).toEqual(['Service', 'Pod']);
    expect(seen.left(launchId)).toEqual([]);
  });

  test.each(['UpdateItem', 'StopExecution', '/invocations'])('DELETE at %s, leaves nothing', async (operation) => {
    const launchId = await idleLaunch('idle', `delete-${operation}`);
    const killed = killAt(davit, 'launches', awsRequest(operation));

    const answers = await untilTaken(() => davit.launches.end(launchId));
    await killed;
    const { ending } = await davit.launches.until(launchId, 'terminated', 'failed');

    expect(answers.map(({ status }) => status >= 500)).toEqual([true, false]);
    expect(ending).toMatchObject({ outcome: 'terminated', by: 'DELETE /launches' });
    expect(seen.left(launchId)).toEqual([]);
  });
});

test.each([
  ['as it was asked', awsRequest('/connect')],
  ['as it marked the launch', after(entered('AwaitAgent'), awsRequest('UpdateItem'))],
])('an agent whose connect was killed %s asks again, and is connected once', async (_when, moment) => {
  const job = newJob();
  const killed = killAt(davit, 'connect', moment);

  await davit.github.deliver(job, 'queued');
  const { token } = await registration(davit, job);
  await killed;
  const { status } = await untilExecutionEnds(davit.runtime, job.launchId);

  expect(status).toBe('SUCCEEDED');
  expect(seen.created(job.launchId)).toEqual(['Service', 'Pod']);
  expect(token.port).toBe(seen.nodePort(job.launchId));
  await davit.launches.end(job.launchId);
});

describe('a relaunch that is killed', () => {
  test.each([
    ['as it begins', attemptOf('Relaunch')],
    ['after it has written the next generation down', after(entered('Relaunch'), awsRequest('UpdateItem'))],
    ['after it has deleted the Service', after(entered('Relaunch'), deleted('services'))],
  ])('%s, is repeated and launches one more agent', async (when, moment) => {
    const launchId = await idleLaunch('idle', `relaunch ${when}`);
    const killed = killAt(davit, 'relaunch', moment);

    await evict(`davit-${launchId}`);
    await killed;
    await podRuns(`davit-${launchId}-r2`);
    await davit.launches.end(launchId);
    const { ending } = await davit.launches.until(launchId, 'terminated', 'failed');

    expect(seen.failedAttempts(launchId)).toContain('Relaunch: Runtime.ExitError');
    expect(seen.created(launchId)).toEqual(['Service', 'Pod', 'Service', 'Pod']);
    expect(ending).toMatchObject({ outcome: 'terminated', by: 'DELETE /launches' });
    expect(seen.left(launchId)).toEqual([]);
  });
});

describe('a clean-up that is killed', () => {
  test.each([
    ['before it has deleted the Service', clusterRequest({ verb: 'delete', resource: 'services' }, hang)],
    ['after it has deleted the Service', deleted('services')],
    ['before it has deleted the Pod', clusterRequest({ verb: 'delete', resource: 'pods' }, hang)],
    ['while it waits', after(deleted('services'), clusterRequest({ verb: 'watch', resource: 'pods' }))],
    ['after all is gone', after(gone('services'), awsRequest('UpdateItem'))],
  ])('%s, is repeated and leaves nothing', async (when, moment) => {
    const launchId = await idleLaunch('slow', when);
    const killed = killAt(davit, 'clean-up', moment);

    await davit.launches.end(launchId);
    await killed;
    const { ending } = await davit.launches.until(launchId, 'terminated', 'failed');

    expect(ending).toMatchObject({ outcome: 'terminated', code: 'Terminated', by: 'DELETE /launches' });
    expect(seen.left(launchId)).toEqual([]);
  });

  test.each([
    ['as it begins', attemptOf('CleanUp')],
    ['after it has marked the launch', after(entered('CleanUp'), awsRequest('UpdateItem'))],
    ['after it has deleted the Service', after(entered('CleanUp'), deleted('services'))],
    ['after all is gone', after(gone('services'), awsRequest('UpdateItem'))],
  ])('in the state machine, %s, is repeated and says why the launch failed', async (when, moment) => {
    const killed = killAt(davit, 'clean-up', moment);

    const launchId = await davit.launches.request({ profile: 'broken', jobId: `broken ${when}` });
    await killed;
    const execution = await untilExecutionEnds(davit.runtime, launchId);
    const { ending } = await davit.launches.until(launchId, 'terminated', 'failed');

    expect(seen.failedAttempts(launchId)).toContain('CleanUp: Runtime.ExitError');
    expect(execution).toMatchObject({ status: 'FAILED', error: 'ContainerTerminated' });
    expect(ending).toMatchObject({ outcome: 'failed', code: 'ContainerTerminated', by: 'the state machine' });
    expect(seen.left(launchId)).toEqual([]);
  });
});

test('after all of it nothing is left', async () => {
  await davit.history.untilNothingIsLeft();
});

/** Asks for a launch whose agent never connects, and waits until its container runs. */
async function idleLaunch(profile: string, jobId: string): Promise<string> {
  const launchId = await davit.launches.request({ profile, jobId });
  await podRuns(`davit-${launchId}`);
  return launchId;
}

async function podRuns(name: string): Promise<void> {
  await davit.history.until(
    'pods',
    ({ metadata, status }) => metadata.name === name && status?.['phase'] === 'Running',
  );
}

/** What a kubelet does that is short of memory. */
async function evict(name: string): Promise<void> {
  const { store, node } = davit.cluster.sandbox;
  const pod = store.get('pods', 'davit-agents', name);
  if (pod !== undefined) await node.evict(pod);
}

import { agentNameOf, apiLaunchId } from '../../../../core/launch/names.ts';
import { newRecord, planLaunch } from '../../../../core/launch/plan-launch.ts';
import type { FunctionName } from '../../../../runtime/function-settings.ts';
import { askForSweep } from '../../../e2e/ask-for-sweep.ts';
import { newJob, registration, untilTaken } from '../../../e2e/jobs.ts';
import {
  after,
  attemptOf,
  awsRequest,
  clusterRequest,
  created,
  deleted,
  entered,
  killAt,
} from '../../../e2e/moments.ts';
import { type LaunchObserver, observeLaunches } from '../../../e2e/observe-launches.ts';
import { untilExecutionEnds } from '../../../support/execution-events.ts';
import { idle, withProfiles } from '../../../support/profile-like.ts';
import { type AwsTestRuntime, startAwsTestRuntime } from '../../../support/start-aws-test-runtime.ts';

// One case for each way in which a killed function is run again: by its caller, by the state machine's Retry, by
// Lambda's own retry of an asynchronous invocation, by the next sweep. The simulation kills every function before and
// after each of its writes, and the chaos run at random moments on a real cluster.

const broken = { ...idle, command: ['sh', '-c', 'exit 3'] };

/** The functions that these tests kill. */
const ownThreads = [
  'clean-up',
  'connect',
  'create-pod',
  'publish-token',
  'relaunch',
  'sweep',
  'webhook',
] as const satisfies FunctionName[];

let davit: AwsTestRuntime;
let seen: LaunchObserver;

beforeAll(async () => {
  const agents = { idle: { agent: idle }, broken: { agent: broken } };
  davit = await startAwsTestRuntime({
    changeConfig: (config) => withProfiles(config, agents),
    ownThreads,
  });
  seen = observeLaunches(davit);
});
afterAll(async () => {
  seen[Symbol.dispose]();
  await davit[Symbol.asyncDispose]();
});
// A function has to run before it can be killed as it begins.
beforeEach(async () => {
  await davit.runtime.functions.warm();
});

describe('a webhook that GitHub delivers again because its function was killed', () => {
  test('launches one agent when the job is queued', async () => {
    const job = newJob();
    const killed = killAt(davit, 'webhook', awsRequest('StartExecution'));

    const answers = await untilTaken(() => davit.github.deliver(job, 'queued'));
    const { token } = await registration(davit, job);
    await killed;
    await davit.launches.end(job.launchId);

    expect(answers.map(({ status }) => status)).toEqual([500, 200]);
    expect(answers.at(-1)?.body).toMatchObject({ launchId: job.launchId, duplicate: true });
    expect(seen.created(job.launchId)).toEqual(['Service', 'Pod']);
    expect(token.port).toBe(seen.nodePort(job.launchId));
  });

  test('leaves nothing when the job is completed', async () => {
    const job = newJob();
    await davit.github.deliver(job, 'queued');
    await registration(davit, job);
    await untilExecutionEnds(davit.runtime, job.launchId);
    const killed = killAt(davit, 'webhook', awsRequest('/invocations'));

    const answers = await untilTaken(() => davit.github.deliver(job, 'completed'));
    await killed;
    const { ending } = await davit.launches.until(job.launchId, 'terminated', 'failed');

    expect(answers.map(({ status }) => status >= 500)).toEqual([true, false]);
    expect(answers.at(-1)?.body).toMatchObject({ launchId: job.launchId, duplicate: true });
    expect(ending).toMatchObject({ outcome: 'terminated', by: 'github workflow_job completed (failure)' });
    expect(seen.left(job.launchId)).toEqual([]);
  });
});

test('an agent whose connect was killed after marking the launch asks again, and is connected once', async () => {
  const job = newJob();
  const killed = killAt(davit, 'connect', after(entered('PublishToken'), awsRequest('UpdateItem')));

  await davit.github.deliver(job, 'queued');
  const { token } = await registration(davit, job);
  await killed;
  const { status } = await untilExecutionEnds(davit.runtime, job.launchId);
  await davit.launches.end(job.launchId);

  expect(status).toBe('SUCCEEDED');
  expect(seen.created(job.launchId)).toEqual(['Service', 'Pod']);
  expect(token.port).toBe(seen.nodePort(job.launchId));
});

test.each([
  { step: 'CreatePod', functionName: 'create-pod', when: 'after its Pod exists', moment: created('pods') },
  { step: 'PublishToken', functionName: 'publish-token', when: 'as it begins', moment: attemptOf('PublishToken') },
  {
    step: 'PublishToken',
    functionName: 'publish-token',
    when: 'while it watches',
    moment: after<AwsTestRuntime>(entered('PublishToken'), clusterRequest({ verb: 'watch', resource: 'pods' })),
  },
] as const)('$step killed $when is repeated, and the launch works', async ({ step, functionName, moment }) => {
  const job = newJob();
  const killed = killAt(davit, functionName, moment);

  await davit.github.deliver(job, 'queued');
  const [{ token }] = await Promise.all([registration(davit, job), killed]);
  const { status } = await untilExecutionEnds(davit.runtime, job.launchId);
  await davit.github.deliver(job, 'completed');
  const ended = await davit.launches.until(job.launchId, 'terminated', 'failed');

  expect(seen.failedAttempts(job.launchId)).toContain(`${step}: Runtime.ExitError`);
  expect({ status, states: seen.states(job.launchId).length }).toEqual({ status: 'SUCCEEDED', states: 6 });
  expect(seen.created(job.launchId)).toEqual(['Service', 'Pod']);
  expect(token).toMatchObject({ host: '127.0.0.1', port: seen.nodePort(job.launchId) });
  expect(ended.status).toBe('terminated');
  expect(seen.left(job.launchId)).toEqual([]);
});

test('a relaunch that is killed after it deleted the Service is repeated, and launches one more agent', async () => {
  const launchId = await idleLaunch('relaunch');
  const killed = killAt(davit, 'relaunch', after(entered('Relaunch'), deleted('services')));

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

describe('a clean-up that is killed after it deleted the Service', () => {
  test('is repeated by Lambda, and leaves nothing', async () => {
    const launchId = await idleLaunch('clean-up');
    const killed = killAt(davit, 'clean-up', deleted('services'));

    await davit.launches.end(launchId);
    await killed;
    const { ending } = await davit.launches.until(launchId, 'terminated', 'failed');

    expect(ending).toMatchObject({ outcome: 'terminated', code: 'Terminated', by: 'DELETE /launches' });
    expect(seen.left(launchId)).toEqual([]);
  });

  test('is repeated by the state machine, and says why the launch failed', async () => {
    const killed = killAt(davit, 'clean-up', after(entered('CleanUp'), deleted('services')));

    const launchId = await davit.launches.request({ profile: 'broken', jobId: 'broken' });
    await killed;
    const execution = await untilExecutionEnds(davit.runtime, launchId);
    const { ending } = await davit.launches.until(launchId, 'terminated', 'failed');

    expect(seen.failedAttempts(launchId)).toContain('CleanUp: Runtime.ExitError');
    expect(execution).toMatchObject({ status: 'FAILED', error: 'ContainerTerminated' });
    expect(ending).toMatchObject({ outcome: 'failed', code: 'ContainerTerminated', by: 'the state machine' });
    expect(seen.left(launchId)).toEqual([]);
  });
});

describe('the next sweep finishes the work of a killed function', () => {
  test('a sweep that was killed as it started a launch leaves one agent', async () => {
    const launchId = apiLaunchId('never-started');
    const [profile] = davit.config.profiles;
    if (profile === undefined) throw new Error('the config has no profile');
    await davit.runtime.ports.launches.request(newRecord(planLaunch(profile, { launchId }, Date.now())));
    const killed = killAt(davit, 'sweep', awsRequest('StartExecution'));

    await sweepThatIsKilled();
    await killed;
    await askForSweep(davit, { graceSeconds: 0 });
    await registration(davit, { agentName: agentNameOf(launchId) });
    await davit.launches.end(launchId);
    await davit.launches.until(launchId, 'terminated');

    expect(seen.created(launchId)).toEqual(['Service', 'Pod']);
  });

  test('a launch whose webhook died after marking its end is shown as cleaning, and is cleaned up', async () => {
    const job = newJob();
    await davit.github.deliver(job, 'queued');
    await registration(davit, job);
    await untilExecutionEnds(davit.runtime, job.launchId);
    const killed = killAt(davit, 'webhook', awsRequest('UpdateItem'));
    await davit.github.deliver(job, 'completed');
    await killed;
    // The table may still be writing when the function is dead.
    const shown = await davit.launches.until(job.launchId, 'cleaning');
    const left = seen.left(job.launchId);

    const report = await askForSweep(davit, { graceSeconds: 0 });
    const { status, ending } = await davit.launches.until(job.launchId, 'terminated', 'failed');

    expect(shown).toMatchObject({ status: 'cleaning', cleaning: { because: 'the job completed: failure' } });
    expect(left).toHaveLength(2);
    // The sweep deletes the objects itself, unless the clean-up that it asked for is quicker.
    expect(report.findings.map(({ kind, reason, outcome }) => `${kind} ${reason} ${outcome}`)).toContain(
      'Launch CleanUpUnfinished asked',
    );
    expect({ status, by: ending?.by }).toEqual({
      status: 'terminated',
      by: 'github workflow_job completed (failure)',
    });
    expect(seen.left(job.launchId)).toEqual([]);
  });
});

test('nothing is left in the end', async () => {
  await davit.history.untilNothingIsLeft();
});

/** Asks for a sweep whose function dies: its answer is no report. */
async function sweepThatIsKilled(): Promise<void> {
  await davit.runtime.invoke('sweep', { graceSeconds: 0 });
}

/** Asks for a launch whose agent never connects, and waits until its container runs. */
async function idleLaunch(jobId: string): Promise<string> {
  const launchId = await davit.launches.request({ profile: 'idle', jobId });
  await podRuns(`davit-${launchId}`);
  return launchId;
}

async function podRuns(name: string): Promise<void> {
  await davit.history.until(
    'pods',
    ({ metadata, status }) => metadata.name === name && status?.['phase'] === 'Running',
  );
}

/** Evicts a Pod as a kubelet that is short of memory does. */
async function evict(name: string): Promise<void> {
  const { store, node } = davit.cluster.sandbox;
  const pod = store.get('pods', 'davit-agents', name);
  if (pod === undefined) throw new Error(`there is no Pod ${name}`);
  await node.evict(pod);
}

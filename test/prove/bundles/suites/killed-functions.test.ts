import { agentNameOf, apiLaunchId } from '../../../../core/launch/names.ts';
import { newRecord, planLaunch } from '../../../../core/launch/plan-launch.ts';
import type { FunctionName } from '../../../../runtime/function-settings.ts';
import { askForSweep } from '../../../e2e/ask-for-sweep.ts';
import { expectEnded } from '../../../e2e/expect-ended.ts';
import { newJob, registration, untilTaken } from '../../../e2e/jobs.ts';
import { awsRequest, clusterRequest, comes, created, deleted, killAt } from '../../../e2e/moments.ts';
import { type LaunchObserver, observeLaunches } from '../../../e2e/observe-launches.ts';
import { untilExecutionEnds } from '../../../support/execution-events.ts';
import { idle, withProfiles } from '../../../support/profile-like.ts';
import { type AwsTestRuntime, startAwsTestRuntime } from '../../../support/start-aws-test-runtime.ts';
import { stopByHand } from './stop-by-hand.ts';

// One case for each way in which a killed function is run again: by its caller, by the state machine's Retry, by
// Lambda's own retry of an asynchronous invocation, by the next sweep; and an execution that a person stops. The simulation
// kills every function before and after each of its writes and ends launches at every step, and the chaos run kills at
// random moments on a real cluster.

/** The functions that these tests kill. */
const ownThreads = ['clean-up', 'create-pod', 'sweep', 'webhook'] as const satisfies FunctionName[];

let davit: AwsTestRuntime;
let seen: LaunchObserver;
let cleanUps = 0;

beforeAll(async () => {
  davit = await startAwsTestRuntime({
    changeConfig: (config) => withProfiles(config, { idle: { agent: idle } }),
    ownThreads,
    onInvoked: (functionName) => {
      if (functionName === 'clean-up') cleanUps += 1;
    },
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

test('a queued webhook that GitHub delivers again because its function was killed launches one agent', async () => {
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

test('a CreatePod that was killed after its Pod exists is repeated, and the launch works', async () => {
  const job = newJob();
  const killed = killAt(davit, 'create-pod', created('pods'));

  await davit.github.deliver(job, 'queued');
  const [{ token }] = await Promise.all([registration(davit, job), killed]);
  const { status } = await untilExecutionEnds(davit.runtime, job.launchId);
  await davit.github.deliver(job, 'completed');
  const ended = await davit.launches.until(job.launchId, 'terminated', 'failed');

  expect(seen.failedAttempts(job.launchId)).toContain('CreatePod: Runtime.ExitError');
  expect({ status, states: seen.states(job.launchId).length }).toEqual({ status: 'SUCCEEDED', states: 6 });
  expect(seen.created(job.launchId)).toEqual(['Service', 'Pod']);
  expect(token).toMatchObject({ host: '127.0.0.1', port: seen.nodePort(job.launchId) });
  expect(ended.status).toBe('terminated');
  expect(seen.left(job.launchId)).toEqual([]);
});

test('a clean-up that is killed after it deleted the Service is repeated by Lambda, and leaves nothing', async () => {
  const launchId = await idleLaunch('clean-up');
  const killed = killAt(davit, 'clean-up', deleted('services'));

  await davit.launches.end(launchId);
  await killed;
  const { ending } = await davit.launches.until(launchId, 'terminated', 'failed');

  expect(ending).toMatchObject({ outcome: 'terminated', code: 'Terminated', by: 'DELETE /launches' });
  expect(seen.left(launchId)).toEqual([]);
});

test('a launch whose execution a person stops while its Pod is created is cleaned up once, and leaves nothing', async () => {
  const jobId = crypto.randomUUID();
  const launchId = apiLaunchId(jobId);
  const fault = { match: { verb: 'create', resource: 'pods' }, effect: { kind: 'delay', delayMs: 700 } } as const;
  const calm = davit.cluster.sandbox.faults.add(fault);
  const creates = comes(davit, clusterRequest(fault.match));
  const isThere = comes(davit, created('pods'));
  cleanUps = 0;

  const requested = davit.launches.post({ profile: 'linux', jobId });
  await creates;
  await stopByHand(davit, launchId);
  await Promise.all([requested, isThere]);
  calm();

  await expectEnded(davit, launchId, { outcome: 'failed', code: 'ExecutionEnded', by: 'Step Functions' });
  expect(cleanUps).toBe(1);
});

describe('the next sweep finishes the work of a killed function', () => {
  test('a sweep that was killed as it started a launch leaves one agent', async () => {
    const launchId = apiLaunchId('never-started');
    const [profile] = davit.config.profiles;
    if (profile === undefined) throw new Error('the config has no profile');
    await davit.runtime.ports.launches.request(newRecord(planLaunch(profile, { launchId }, Date.now())));
    const killed = killAt(davit, 'sweep', awsRequest('StartExecution'));

    // Its function dies: the answer is no report.
    await davit.runtime.invoke('sweep', { graceSeconds: 0 });
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

/** Asks for a launch whose agent never connects, and waits until its container runs. */
async function idleLaunch(jobId: string): Promise<string> {
  const launchId = await davit.launches.request({ profile: 'idle', jobId });
  const isMeant = (name: string) => name === agentNameOf(launchId);
  await davit.history.until(
    'pods',
    ({ metadata, status }) => isMeant(metadata.name) && status?.['phase'] === 'Running',
  );
  return launchId;
}

import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { apiLaunchId } from '../../functions/domain/names.ts';
import type { FaultRule } from '../../local/cluster/faults.ts';
import { credentialOf } from '../support/agent-credentials.ts';
import { untilExecutionEnds } from '../support/execution-events.ts';
import { idle, withProfiles } from '../support/profile-like.ts';
import { startTestRuntime, type TestRuntime } from '../support/start-test-runtime.ts';
import { type Job, newJob, registration } from './jobs.ts';
import { after, awsRequest, clusterRequest, comes, created, deleted, entered, type Moment } from './moments.ts';
import { callWitness, type Witness } from './witness.ts';

jest.setTimeout(120_000);

let davit: TestRuntime;
let seen: Witness;
beforeAll(async () => {
  const agents = {
    idle: { agent: idle },
    broken: { agent: { ...idle, command: ['sh', '-c', 'exit 3'] } },
    busy: {
      agent: { ...idle, command: [process.execPath, '-e', busyAgent] },
      spec: { terminationGracePeriodSeconds: 60 },
    },
  };
  davit = await startTestRuntime({ changeConfig: (config) => withProfiles(config, agents) });
  seen = callWitness(davit);
});
afterAll(async () => {
  seen[Symbol.dispose]();
  await davit[Symbol.asyncDispose]();
});

// Tells whoever dials it what it is doing, and works on after SIGTERM until it is told that the work is done.
const busyAgent = `
  let doing = 'working';
  process.on('SIGTERM', () => { doing = 'finishing'; });
  require('node:net').createServer((socket) => {
    socket.write(doing + '\\n');
    socket.on('data', () => process.exit(0));
  }).listen(Number(process.env.AGENT_PORT), process.env.POD_IP);
`;

const slowCreate = (resource: 'services' | 'pods'): FaultRule => ({
  match: { verb: 'create', resource },
  effect: { kind: 'delay', delayMs: 700 },
  count: 1,
});

interface When {
  when: string;
  moment: Moment;
  fault?: FaultRule;
  /** What still comes of the moment, after the launch has been ended. */
  aftermath?: Moment;
}

const moments: When[] = [
  { when: 'before its execution is started', moment: awsRequest('StartExecution') },
  ...['CreateService', 'PollNodePort', 'CreatePod', 'PollHostIP', 'PublishToken', 'AwaitAgent'].map((state) => ({
    when: `as ${state} is entered`,
    moment: entered(state),
  })),
  ...(['services', 'pods'] as const).map((resource) => ({
    when: `while one of its ${resource} is being created`,
    moment: clusterRequest({ verb: 'create', resource }),
    fault: slowCreate(resource),
    aftermath: created(resource),
  })),
  { when: 'while its token is being written', moment: after(entered('PublishToken'), awsRequest('PutItem')) },
];

describe('a launch is ended and leaves nothing', () => {
  test.each(moments)('by DELETE $when', async ({ moment, fault, aftermath }) => {
    const jobId = crypto.randomUUID();
    const launchId = apiLaunchId(jobId);
    const calm = fault && davit.cluster.sandbox.faults.add(fault);
    const itsTime = comes(davit, moment);
    const passed = aftermath && comes(davit, aftermath);

    const requested = davit.launches.post({ profile: 'linux', jobId });
    await itsTime;
    const answer = await davit.launches.end(launchId);
    await Promise.all([requested, passed]);

    calm?.();
    expect(answer).toMatchObject({ status: 202, body: { launchId, status: 'cleaning' } });
    await expectEnded(launchId, { outcome: 'terminated', code: 'Terminated', by: 'DELETE /launches' });
  });

  test.each(moments)('by its job’s completed $when', async ({ moment, fault, aftermath }) => {
    const job = newJob();
    const calm = fault && davit.cluster.sandbox.faults.add(fault);
    const itsTime = comes(davit, moment);
    const passed = aftermath && comes(davit, aftermath);

    const queued = davit.github.deliver(job, 'queued');
    await itsTime;
    const answer = await davit.github.deliver(job, 'completed');
    await Promise.all([queued, passed]);

    calm?.();
    expect(answer).toMatchObject({ status: 202, body: { launchId: job.launchId, status: 'cleaning' } });
    await expectEnded(job.launchId, { outcome: 'terminated', code: 'Terminated', by: completedBy });
  });

  test('by DELETE after its agent has connected', async () => {
    const job = await connectedJob();

    const answer = await davit.launches.end(job.launchId);

    expect(answer.status).toBe(202);
    await expectEnded(job.launchId, { outcome: 'terminated', by: 'DELETE /launches' });
    expect(davit.runtime.stepFunctions.execution(job.launchId)?.status).toBe('SUCCEEDED');
  });

  test('by DELETE twice at once, and once more when it is over', async () => {
    const job = await connectedJob();

    const answers = await Promise.all([davit.launches.end(job.launchId), davit.launches.end(job.launchId)]);
    await davit.launches.until(job.launchId, 'terminated');
    const late = await davit.launches.end(job.launchId);

    expect(answers.map(({ status }) => [200, 202].includes(status))).toEqual([true, true]);
    expect(late).toMatchObject({ status: 200, body: { status: 'terminated', duplicate: true } });
    await expectEnded(job.launchId, { outcome: 'terminated', by: 'DELETE /launches' });
  });

  test('by DELETE and its job’s completed at once, of which one is the reason', async () => {
    const job = await connectedJob();

    await Promise.all([davit.launches.end(job.launchId), davit.github.deliver(job, 'completed')]);

    const by: unknown = expect.stringMatching(/^(DELETE \/launches|github workflow_job completed \(failure\))$/);
    await expectEnded(job.launchId, { outcome: 'terminated', by });
  });

  test('by an execution that somebody stopped by hand', async () => {
    const launchId = await davit.launches.request({ profile: 'idle', jobId: crypto.randomUUID() });
    await davit.history.until('pods', ({ metadata }) => metadata.name === `davit-${launchId}`);

    await davit.runtime.ports.executions.stop(launchId, 'stopped by hand');

    await expectEnded(launchId, { outcome: 'failed', code: 'ExecutionEnded', by: 'Step Functions' });
  });

  test('by an execution that somebody stopped by hand while the Pod was being created', async () => {
    const jobId = crypto.randomUUID();
    const calm = davit.cluster.sandbox.faults.add(slowCreate('pods'));
    const itsTime = comes(davit, clusterRequest({ verb: 'create', resource: 'pods' }));
    const passed = comes(davit, created('pods'));

    await davit.launches.post({ profile: 'linux', jobId });
    await itsTime;
    await davit.runtime.ports.executions.stop(apiLaunchId(jobId), 'stopped by hand');
    await passed;

    calm();
    await expectEnded(apiLaunchId(jobId), { outcome: 'failed', code: 'ExecutionEnded', by: 'Step Functions' });
  });
});

test('a launch that fails keeps its own reason when it is deleted during its clean-up', async () => {
  const jobId = crypto.randomUUID();
  const itsTime = comes(davit, after(entered('CleanUp'), deleted('services')));

  await davit.launches.post({ profile: 'broken', jobId });
  await itsTime;
  const answer = await davit.launches.end(apiLaunchId(jobId));

  expect(answer).toMatchObject({ body: { duplicate: true, ending: { code: 'ContainerTerminated' } } });
  await expectEnded(apiLaunchId(jobId), { outcome: 'failed', code: 'ContainerTerminated', by: 'the state machine' });
});

test('a launch that nobody asked for is unknown to DELETE', async () => {
  const answer = await davit.launches.end('api-nobody-asked');

  expect(answer).toMatchObject({ status: 404, body: { type: 'https://davit.dev/problems/launch-unknown' } });
});

test('an agent has its grace period to finish its work, and is reached at its nodePort until then', async () => {
  const launchId = await davit.launches.request({ profile: 'busy', jobId: crypto.randomUUID() });
  await comes(davit, entered('AwaitAgent'));
  const port = seen.nodePort(launchId) ?? 0;
  await doing(port, 'working');

  await davit.launches.end(launchId);
  const terminating = await doing(port, 'finishing');
  const { status } = await davit.launches.show(launchId);
  const answered = await askConnect(launchId);
  const left = seen.left(launchId);
  terminating.done();

  expect({ status, answered }).toEqual({ status: 'cleaning', answered: 410 });
  expect(left).toEqual([`Service davit-${launchId}`, `Pod davit-${launchId}`]);
  await expectEnded(launchId, { outcome: 'terminated' });
});

const completedBy = 'github workflow_job completed (failure)';

/** Says that a launch is over for that reason: its execution does not run, its agent is sent away, nothing is left. */
async function expectEnded(launchId: string, ending: object): Promise<void> {
  const shown = await davit.launches.until(launchId, 'terminated', 'failed');
  const { status } = await untilExecutionEnds(davit.runtime, launchId);
  await davit.history.untilNothingIsLeft();

  expect(shown.ending).toMatchObject(ending);
  expect(status).not.toBe('RUNNING');
  expect(await askConnect(launchId)).toBe(410);
}

async function askConnect(launchId: string): Promise<number> {
  const headers = { authorization: `Bearer ${await credentialOf(davit.runtime, launchId)}` };
  const answer = await fetch(`${davit.runtime.url}/agents/davit-${launchId}/connect`, { method: 'POST', headers });
  return answer.status;
}

async function connectedJob(): Promise<Job> {
  const job = newJob();
  await davit.github.deliver(job, 'queued');
  await registration(davit, job);
  await untilExecutionEnds(davit.runtime, job.launchId);
  return job;
}

interface Conversation {
  says: string;
  /** Tells the agent that its work is done. */
  done: () => void;
}

/** Dials an agent again and again until it says that it does that. */
async function doing(port: number, what: string): Promise<Conversation> {
  const conversation = await dial(port);
  if (conversation?.says === what) return conversation;
  await sleep(20);
  return doing(port, what);
}

/** @returns undefined when nobody answers */
function dial(port: number): Promise<Conversation | undefined> {
  const socket = connect({ host: '127.0.0.1', port });
  const { promise, resolve } = Promise.withResolvers<Conversation | undefined>();
  socket.once('data', (says: Buffer) => resolve({ says: says.toString().trim(), done: () => socket.write('done') }));
  socket.once('error', () => resolve(undefined));
  socket.once('close', () => resolve(undefined));
  return promise;
}

import { connect } from 'node:net';
import { agentNameOf, apiLaunchId } from '../../core/launch/names.ts';
import { until } from '../prove/cluster/until.ts';
import { untilExecutionEnds } from '../support/execution-events.ts';
import { idle, withProfiles } from '../support/profile-like.ts';
import { askConnect, completedBy, expectEnded } from './expect-ended.ts';
import { type Job, newJob, registration } from './jobs.ts';
import { attemptOf, comes, entered, started } from './moments.ts';
import { type LaunchObserver, observeLaunches } from './observe-launches.ts';
import { type DavitAnywhere, startAnywhere } from './start-anywhere.ts';

/** The time limit until an agent accepts a connection and answers. */
const dialMs = 60_000;
const answerMs = 2000;

let davit: DavitAnywhere;
let seen: LaunchObserver;
beforeAll(async () => {
  const agents = {
    idle: { agent: idle },
    broken: { agent: { ...idle, command: ['/bin/sh', '-c', 'exit 3'] } },
    busy: {
      agent: { command: [process.execPath, '-e', busyAgent] },
      spec: { terminationGracePeriodSeconds: 60 },
    },
  };
  davit = await startAnywhere({ changeConfig: (config) => withProfiles(config, agents) });
  seen = observeLaunches(davit);
});
afterAll(async () => {
  seen[Symbol.dispose]();
  await davit[Symbol.asyncDispose]();
});

// Reports to each caller, and continues after SIGTERM until a caller says that the work is done.
const busyAgent = `
  const callers = new Set();
  process.on('SIGTERM', () => { for (const caller of callers) caller.write('finishing'); });
  require('node:net').createServer((caller) => {
    callers.add(caller.once('data', () => process.exit(0)));
    caller.write('working, ');
  }).listen(Number(process.env.AGENT_PORT), process.env.POD_IP);
`;

// The simulation ends launches at every step in every way. These are the moments in which another service is at work.
const deleted = [
  { when: 'as its execution starts', moment: started },
  { when: 'as CreatePod is entered', moment: entered('CreatePod') },
  { when: 'as its token is about to be written', moment: attemptOf('PublishToken') },
];
const completed = [
  { when: 'as CreateService is entered', moment: entered('CreateService') },
  { when: 'as PublishToken is entered', moment: entered('PublishToken') },
];

describe('a launch ends and leaves nothing', () => {
  test.each(deleted)('by DELETE $when', async ({ moment }) => {
    const jobId = crypto.randomUUID();
    const launchId = apiLaunchId(jobId);
    const itsTime = comes(davit, moment);

    const requested = davit.launches.post({ profile: 'linux', jobId });
    await itsTime;
    const answer = await davit.launches.end(launchId);
    await requested;

    expect(answer).toMatchObject({ status: 202, body: { launchId, status: 'cleaning' } });
    await expectEnded(davit, launchId, { outcome: 'terminated', code: 'Terminated', by: 'DELETE /launches' });
  });

  test.each(completed)("by its job's completed $when", async ({ moment }) => {
    const job = newJob();
    const itsTime = comes(davit, moment);

    const queued = davit.github.deliver(job, 'queued');
    await itsTime;
    const answer = await davit.github.deliver(job, 'completed');
    await queued;

    expect(answer).toMatchObject({ status: 202, body: { launchId: job.launchId, status: 'cleaning' } });
    await expectEnded(davit, job.launchId, { outcome: 'terminated', code: 'Terminated', by: completedBy });
  });

  test('by DELETE after its agent has connected', async () => {
    const job = await connectedJob();

    const answer = await davit.launches.end(job.launchId);

    expect(answer.status).toBe(202);
    await expectEnded(davit, job.launchId, { outcome: 'terminated', by: 'DELETE /launches' });
    expect((await davit.runtime.ports.executions.status(job.launchId))?.status).toBe('SUCCEEDED');
  });

  test("by DELETE and its job's completed at the same time, one of which is the reason", async () => {
    const job = await connectedJob();

    await Promise.all([davit.launches.end(job.launchId), davit.github.deliver(job, 'completed')]);

    const by: unknown = expect.stringMatching(/^(DELETE \/launches|github workflow_job completed \(failure\))$/);
    await expectEnded(davit, job.launchId, { outcome: 'terminated', by });
  });
});

test('a launch that fails keeps its own reason when it is deleted during its clean-up', async () => {
  const launchId = await davit.launches.request({ profile: 'broken', jobId: crypto.randomUUID() });
  await davit.history.until(
    'services',
    ({ metadata }) => metadata.name === agentNameOf(launchId) && metadata.deletionTimestamp !== undefined,
  );
  const answer = await davit.launches.end(launchId);

  expect(answer).toMatchObject({ body: { duplicate: true, ending: { code: 'ContainerTerminated' } } });
  await expectEnded(davit, launchId, { outcome: 'failed', code: 'ContainerTerminated', by: 'the state machine' });
});

test('an agent has its grace period to finish with its caller, and gets no new callers', async () => {
  const launchId = await davit.launches.request({ profile: 'busy', jobId: crypto.randomUUID() });
  await comes(davit, entered('PublishToken'));
  const address = await addressOf(launchId);
  const conversation = await until('it is dialled', dialMs, () => dial(address));

  await davit.launches.end(launchId);
  await until('it has heard of it', dialMs, async () => conversation.said() === 'working, finishing');
  await until('nobody else is put through', dialMs, async () => (await dial(address)) === undefined);
  const { status } = await davit.launches.show(launchId);
  const answered = await askConnect(davit, launchId);
  const left = await davit.history.left(launchId);
  conversation.done();

  expect({ status, answered }).toEqual({ status: 'cleaning', answered: 410 });
  expect(left.toSorted()).toEqual([`Pod davit-${launchId}`, `Service davit-${launchId}`]);
  await expectEnded(davit, launchId, { outcome: 'terminated' });
});

async function connectedJob(): Promise<Job> {
  const job = newJob();
  await davit.github.deliver(job, 'queued');
  await registration(davit, job);
  await untilExecutionEnds(davit.runtime, job.launchId);
  return job;
}

interface Conversation {
  /** All output of the agent. */
  said: () => string;
  /** Tells the agent that its work is done. */
  done: () => void;
}

type Address = { host: string; port: number };

/** The address of an agent that has not connected yet, read from the cluster. */
async function addressOf(launchId: string): Promise<Address> {
  const pod = await davit.history.object('pods', agentNameOf(launchId));
  return { host: String(pod.status?.['hostIP']), port: seen.nodePort(launchId) ?? 0 };
}

/** Connects to an agent. @returns undefined when no agent answers */
function dial(address: Address): Promise<Conversation | undefined> {
  const socket = connect({ ...address, timeout: answerMs }).setEncoding('utf8');
  const { promise, resolve } = Promise.withResolvers<Conversation | undefined>();
  let said = '';
  socket.on('data', (text: string) => {
    said += text;
    socket.setTimeout(0);
    resolve({ said: () => said, done: () => socket.write('done') });
  });
  socket.once('timeout', () => socket.destroy());
  socket.once('error', () => resolve(undefined));
  socket.once('close', () => resolve(undefined));
  return promise;
}

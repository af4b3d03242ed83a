import { setTimeout as sleep } from 'node:timers/promises';
import type { Config } from '../../core/config/config.ts';
import { type Delivery, deliver } from '../support/deliver-webhook.ts';
import { untilExecutionEnds } from '../support/execution-events.ts';
import { exampleJob } from '../support/github-events.ts';
import type { ApiAnswer } from '../support/launches-client.ts';
import { idle, profileLike } from '../support/profile-like.ts';
import { type DavitAnywhere, startAnywhere } from './start-anywhere.ts';

let davit: DavitAnywhere;
beforeAll(async () => {
  davit = await startAnywhere({ changeConfig: withIdleAgents });
});
afterAll(async () => {
  await davit[Symbol.asyncDispose]();
});

const redeliverMs = 500;
const labels = ['self-hosted', 'linux', 'k8s'];

test('one agent is created for a job whose queued is delivered 20 times at the same time', async () => {
  const made = await countCreated();

  const answers = await Promise.all(Array.from({ length: 20 }, () => deliver(davit.runtime, jobEvent('queued', 2))));
  await davit.history.until('pods', ({ metadata }) => metadata.name === agentNameOf(2));
  await endJob(2);

  expect(answers.map(({ status }) => status).toSorted((one, other) => other - one)).toEqual([
    202,
    ...Array.from({ length: 19 }, () => 200),
  ]);
  expect(await made()).toEqual({ services: 1, pods: 1 });
});

test('an ignored job gets the reason, and no agent', async () => {
  const made = await countCreated();

  const answer = await deliver(davit.runtime, jobEvent('queued', 5, ['self-hosted', 'windows']));

  const reason = "no profile has all of the job's labels: self-hosted, windows";
  expect(answer).toEqual({ status: 200, body: { ignored: true, reason } });
  expect(await davit.runtime.ports.executions.status(launchIdOf(5))).toBeUndefined();
  expect(await made()).toEqual({ services: 0, pods: 0 });
});

describe('20 jobs with simultaneous queued and completed, in either order,', () => {
  const jobIds = Array.from({ length: 20 }, (_, index) => 100 + index);

  test('get at most one agent each, and leave nothing behind', async () => {
    const made = await countCreated();

    const answers = await Promise.all(jobIds.map((id) => deliverAtOnce(id)));
    const statuses = await Promise.all(jobIds.map((id) => untilOver(id)));

    expect(answers.flat().filter(({ status }) => status !== 200 && status !== 202)).toEqual([]);
    expect(new Set(statuses)).toEqual(new Set(['terminated']));
    expect((await made()).pods).toBeLessThanOrEqual(jobIds.length);
    expect((await timesEachWasCreated('pods')).filter((times) => times > 1)).toEqual([]);
    expect(await davit.history.left()).toEqual([]);
  });

  test('get none when they are queued once more afterwards', async () => {
    const made = await countCreated();

    const answers = await Promise.all(jobIds.map((id) => deliverUntilTaken(jobEvent('queued', id))));

    expect(answers.map(({ status, body }) => [status, body['status']])).toEqual(jobIds.map(() => [200, 'terminated']));
    expect(await made()).toEqual({ services: 0, pods: 0 });
  });
});

/** The repository's profile takes the jobs, with an agent that does nothing. */
function withIdleAgents(config: Config): Config {
  return { ...config, profiles: config.profiles.map((profile) => profileLike(profile, profile.name, { agent: idle })) };
}

const repositoryId = 591_427_149;
const launchIdOf = (jobId: number) => `github-${repositoryId}-${jobId}-1`;
const agentNameOf = (jobId: number) => `davit-${launchIdOf(jobId)}`;

const exampleLabels = { queued: 'k8s', completed: 'ubuntu-latest' };

/** A delivery with a real payload about this job. */
function jobEvent(action: keyof typeof exampleLabels, jobId: number, jobLabels = labels): Delivery {
  const example = exampleJob(action, exampleLabels[action]);
  const by = action === 'completed' ? { runner_id: 1, runner_name: agentNameOf(jobId) } : {};
  const job = { ...example.workflow_job, id: jobId, run_attempt: 1, labels: jobLabels, ...by };
  const payload = { ...example, repository: { ...example.repository, id: repositoryId }, workflow_job: job };
  return { id: `${action}-${jobId}`, event: 'workflow_job', payload };
}

/** Counts the Services and Pods that are created from now on. */
async function countCreated(): Promise<() => Promise<{ services: number; pods: number }>> {
  const before = await allCreated();
  return async () => {
    const now = await allCreated();
    return { services: now.services - before.services, pods: now.pods - before.pods };
  };
}

async function allCreated(): Promise<{ services: number; pods: number }> {
  const { history } = davit;
  return { services: (await history.created('services')).length, pods: (await history.created('pods')).length };
}

async function timesEachWasCreated(resource: 'services' | 'pods'): Promise<number[]> {
  const times = Map.groupBy(await davit.history.created(resource), (name) => name);
  return [...times.values()].map(({ length }) => length);
}

async function endJob(jobId: number): Promise<void> {
  const { status } = await deliver(davit.runtime, jobEvent('completed', jobId));
  if (status !== 202) throw new Error(`the end of job ${jobId} was answered ${status}`);
  await untilOver(jobId);
}

/** Waits until a job's launch is over and its execution, if it has one, has ended. */
async function untilOver(jobId: number): Promise<string> {
  const { status } = await davit.launches.until(launchIdOf(jobId), 'terminated', 'failed');
  const { runtime } = davit;
  if (await runtime.ports.executions.status(launchIdOf(jobId))) await untilExecutionEnds(runtime, launchIdOf(jobId));
  return status;
}

/** Delivers both webhooks of a job twice, all at once. */
function deliverAtOnce(jobId: number): Promise<ApiAnswer[]> {
  const events = [jobEvent('queued', jobId), jobEvent('completed', jobId)];
  const inOrder = jobId % 2 === 0 ? events : events.toReversed();
  return Promise.all([...inOrder, ...inOrder].map((event) => deliverUntilTaken(event)));
}

/** Repeats a delivery while the answer is 503: on a busy machine calls time out. */
async function deliverUntilTaken(event: Delivery): Promise<ApiAnswer> {
  for (;;) {
    const answer = await deliver(davit.runtime, event);
    if (answer.status !== 503) return answer;
    await sleep(redeliverMs);
  }
}

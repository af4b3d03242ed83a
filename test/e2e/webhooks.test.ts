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

describe('one agent is created for a job', () => {
  test('when its queued is delivered five times, and once more while its agent runs', async () => {
    const made = await countCreated();
    const queued = jobEvent('queued', 1);

    const answers: ApiAnswer[] = [];
    for (let time = 1; time <= 5; time += 1) answers.push(await deliver(davit.runtime, queued));
    await davit.history.until('pods', ({ metadata }) => metadata.name === agentNameOf(1));
    answers.push(await deliver(davit.runtime, queued));
    await endJob(1);

    expect(answers.map(({ status }) => status)).toEqual([202, 200, 200, 200, 200, 200]);
    expect(answers.map(({ body }) => body['launchId'])).toEqual(answers.map(() => launchIdOf(1)));
    expect(answers.filter(({ body }) => body['duplicate'] === true)).toHaveLength(5);
    expect(await made()).toEqual({ services: 1, pods: 1 });
  });

  test('when its queued is delivered 20 times at the same time', async () => {
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

  test('when its queued is delivered again after its end', async () => {
    const made = await countCreated();
    await deliver(davit.runtime, jobEvent('queued', 3));
    await davit.history.until('pods', ({ metadata }) => metadata.name === agentNameOf(3));
    await endJob(3);

    const again = await deliver(davit.runtime, jobEvent('queued', 3));

    expect(again).toMatchObject({
      status: 200,
      body: {
        launchId: launchIdOf(3),
        duplicate: true,
        status: 'terminated',
        reason: expect.stringMatching('completed'),
      },
    });
    expect(await made()).toEqual({ services: 1, pods: 1 });
  });
});

describe('no agent is created for a job', () => {
  test('whose completed comes before its queued, which counts as a duplicate', async () => {
    const made = await countCreated();

    const completed = await deliver(davit.runtime, jobEvent('completed', 4));
    const queued = await deliver(davit.runtime, jobEvent('queued', 4));

    expect(completed).toMatchObject({ status: 200, body: { launchId: launchIdOf(4), status: 'terminated' } });
    expect(queued).toMatchObject({
      status: 200,
      body: { duplicate: true, reason: 'the job was completed before it was queued' },
    });
    expect(await davit.runtime.ports.executions.status(launchIdOf(4))).toBeUndefined();
    expect(await made()).toEqual({ services: 0, pods: 0 });
  });

  test.each([
    [
      'with a label that no profile has',
      () => jobEvent('queued', 5, ['self-hosted', 'windows']),
      "no profile has all of the job's labels: self-hosted, windows",
    ],
    ['without labels', () => jobEvent('queued', 5, []), 'the job has no labels'],
    [
      'with a label that no profile has, when it is over',
      () => jobEvent('completed', 5, ['self-hosted', 'windows']),
      "no profile has all of the job's labels: self-hosted, windows",
    ],
    ['that has started', () => jobEvent('in_progress', 5), 'davit does nothing for workflow_job in_progress'],
    ['that waits for an approval', () => jobEvent('waiting', 5), 'davit does nothing for workflow_job waiting'],
    [
      'by an event about another subject',
      () => ({ id: 'ping-1', event: 'ping', payload: { zen: 'Design for failure.' } }),
      'davit does nothing for ping events',
    ],
  ])('%s', async (_job, delivery, reason) => {
    const made = await countCreated();

    const answer = await deliver(davit.runtime, delivery());

    expect(answer).toEqual({ status: 200, body: { ignored: true, reason } });
    expect(await davit.runtime.ports.executions.status(launchIdOf(5))).toBeUndefined();
    expect(await made()).toEqual({ services: 0, pods: 0 });
  });
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

const exampleLabels = { queued: 'k8s', waiting: 'k8s', in_progress: 'ubuntu-latest', completed: 'ubuntu-latest' };

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

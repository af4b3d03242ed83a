import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readConfig } from '../../../core/config/read-config.ts';
import type { GithubJob } from '../../../local/github/github-state.ts';
import { runOneJob } from '../../../local/github/run-job.ts';
import { agentImage, joinedSuffix, withScaleSet } from '../../e2e/scale-set-config.ts';
import type { ClusterHistory } from '../../support/cluster-history.ts';
import { type FakeScaleSets, startFakeScaleSets } from '../../support/scale-set/start-fake-scale-set.ts';
import { type DavitProcess, startKillableDavit } from '../ci/queue/start-killable-davit.ts';
import { until } from '../cluster/until.ts';

const patienceMs = 120_000;
let started: AsyncDisposableStack;
let directory: string;
let fake: FakeScaleSets;
let history: ClusterHistory;
let davit: DavitProcess;

beforeAll(async () => {
  started = new AsyncDisposableStack();
  directory = await mkdtemp(join(tmpdir(), 'davit-scale-set-killed-'));
  started.defer(() => rm(directory, { recursive: true, force: true }));
  fake = await startFakeScaleSets('acme');
  started.defer(() => fake.stop());
  const config = withScaleSet(
    { ...(await readConfig('davit.yaml')), ciSystems: [], profiles: [] },
    { url: fake.url, directory, maxAgents: 4 },
  );
  const images = { [agentImage]: { command: ['false'] } };
  const secrets = { 'hub-token': fake.github.token };
  // Reconciling would find a lost job, too: here the queue alone has to bring each.
  ({ davit, history } = started.use(await startKillableDavit(config, images, secrets, 3_600_000)));
});
afterAll(() => started.disposeAsync());

/** The agents that have joined, by their launches' ids. */
async function joined(): Promise<string[]> {
  return (await readdir(directory))
    .filter((name) => name.endsWith(joinedSuffix))
    .map((name) => name.slice(0, -joinedSuffix.length));
}

/** The launches whose agent has joined. */
const agents = new Set<string>();

/** Runs one job on each new agent, as they come. */
async function runJobs(count: number): Promise<void> {
  const ends: Promise<unknown>[] = [];
  await until(`${count} agents have joined`, patienceMs, async () => {
    for (const launchId of await joined()) {
      if (agents.has(launchId)) continue;
      agents.add(launchId);
      ends.push(runOneJob(await readFile(join(directory, `${launchId}${joinedSuffix}`), 'utf8'), 50));
    }
    return ends.length === count;
  });
  await Promise.all(ends);
}

/**
 * Queues jobs, and kills davit when it acknowledges the message that names them. The acknowledgement is not answered.
 *
 * @param isEffective whether GitHub has acknowledged the message
 * @returns the jobs, when davit runs again, and the path of the message
 */
async function queueAndKill(names: readonly string[], isEffective: boolean): Promise<[GithubJob[], string]> {
  await until('davit waits for messages', patienceMs, async () => fake.queue.capacity > 0);
  const killed = Promise.withResolvers<string>();
  fake.before = async (method, path) => {
    if (method !== 'DELETE' || !path.startsWith('/queue/')) return;
    fake.before = undefined;
    if (isEffective) fake.queue.messages.shift();
    killed.resolve(davit.restart().then(() => path));
    throw new Error('davit is gone: nobody reads the answer');
  };
  const jobs = fake.github.state.queueRun(
    'acme',
    'app',
    names.map((name) => ({ name, labels: ['of-set'], steps: [`printf ${name}`] })),
  );
  return [jobs, await killed.promise];
}

const registrations = () => fake.requests.filter((request) => request.endsWith('generatejitconfig 200')).length;
const podsMade = () => history.created('pods').length;

test.each([
  ['stored jobs and not acknowledged them', false],
  ['acknowledged jobs and not heard so', true],
])('a davit that dies after it has %s launches each of them once', async (_when, isEffective) => {
  const [registered, pods] = [registrations(), podsMade()];
  const names = [`a-${isEffective}`, `b-${isEffective}`];

  const [jobs, message] = await queueAndKill(names, isEffective);
  await runJobs(2);
  await history.untilNothingIsLeft();
  await until('every message is acknowledged', patienceMs, async () => fake.queue.messages.length === 0);

  // A message that was not acknowledged has come again.
  expect(fake.requests.filter((request) => request === `DELETE ${message} 204`)).toHaveLength(isEffective ? 0 : 1);
  expect(jobs.map(({ conclusion, output }) => [conclusion, output])).toEqual(names.map((name) => ['success', name]));
  expect(new Set(jobs.map(({ runnerId }) => runnerId)).size).toBe(2);
  expect([registrations() - registered, podsMade() - pods, (await joined()).length - agents.size]).toEqual([2, 2, 0]);
  expect(fake.github.state.runners.size).toBe(0);
});

test('each davit has gone on with the session of the one before', () => {
  const sessions = fake.requests.filter((request) => /^POST .*\/sessions 200$/.test(request));

  expect(sessions).toHaveLength(1);
});

import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runnerUrlIn } from '../../local/github/jit-config.ts';
import { runOneJob } from '../../local/github/run-job.ts';
import { until } from '../prove/cluster/until.ts';
import { liveLaunches } from '../support/live-launches.ts';
import { type FakeScaleSets, startFakeScaleSets } from '../support/scale-set/start-fake-scale-set.ts';
import { startTestRuntime, type TestRuntime } from '../support/start-test-runtime.ts';
import { agentImage, joinedSuffix, withScaleSet } from './scale-set-config.ts';
import { secretsFound } from './secrets-found.ts';

const patienceMs = 120_000;
let directory: string;
let fake: FakeScaleSets;
let davit: TestRuntime;
const runnerSecrets = new Set<string>();

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'davit-scale-set-'));
  fake = await startFakeScaleSets('acme');
  davit = await startTestRuntime({
    changeConfig: (config) => withScaleSet(config, { url: fake.url, directory, maxAgents: 2 }),
    secrets: { 'hub-token': fake.github.token },
    sandbox: { images: { [agentImage]: { command: ['false'] } } },
  });
});
afterAll(async () => {
  await davit[Symbol.asyncDispose]();
  await fake.stop();
  await rm(directory, { recursive: true });
});

/** Runs one job on each agent that has joined, as they come. */
async function runJobs(count: number): Promise<void> {
  const run = new Set<string>();
  const ends: Promise<unknown>[] = [];
  await until(`${count} agents have joined`, patienceMs, async () => {
    for (const name of (await readdir(directory)).filter((each) => each.endsWith(joinedSuffix) && !run.has(each))) {
      run.add(name);
      const jitConfig = await readFile(join(directory, name), 'utf8');
      runnerSecrets.add(runnerUrlIn(jitConfig).split('/').at(-1) ?? '');
      ends.push(runOneJob(jitConfig, 50));
    }
    return run.size === count;
  });
  await Promise.all(ends);
}

test('jobs of a scale set arrive without a webhook, run on agents of the set as the limit allows, and nothing is left', async () => {
  await until('davit has told GitHub its limit', patienceMs, async () => fake.queue.capacity === 2);
  const steps = ['printf built'];
  const jobs = fake.github.state.queueRun(
    'acme',
    'app',
    ['one', 'two', 'three'].map((name) => ({ name, labels: ['of-set'], steps })),
  );
  const most = { assigned: 0 };
  const watching = setInterval(() => {
    most.assigned = Math.max(most.assigned, fake.queue.assigned);
  }, 20);

  await runJobs(3);
  clearInterval(watching);
  await until('no launch is left', patienceMs, async () => (await liveLaunches(davit)).length === 0);
  await davit.history.untilNothingIsLeft();

  expect(jobs.map(({ conclusion, output }) => [conclusion, output])).toEqual(jobs.map(() => ['success', 'built']));
  expect(new Set(jobs.map(({ runnerId }) => runnerId)).size).toBe(3);
  expect(most.assigned).toBe(2);
  expect(fake.github.state.runners.size).toBe(0);
  await until('every message is acknowledged', patienceMs, async () => fake.queue.messages.length === 0);
  expect(fake.sets).toMatchObject([{ name: 'hub', labels: [{ name: 'of-set' }] }]);
  expect(fake.requests.filter((request) => request.startsWith('POST') && request.includes('/sessions '))).toHaveLength(
    1,
  );
  expect(fake.requests.filter((request) => request.endsWith('generatejitconfig 200'))).toHaveLength(3);
});

test('no token of the service or of a runner is in a file of davit, or in a Pod', async () => {
  const secrets = [fake.session?.token ?? '', 'REGISTRATION', 'e30.', ...runnerSecrets];

  expect(secrets.filter((secret) => secret.length < 4)).toEqual([]);
  expect(runnerSecrets.size).toBe(3);
  expect(await secretsFound(davit, secrets, fake.session?.id ?? 'none')).toEqual([]);
});

import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Profile } from '../../../functions/domain/config.ts';
import { seededRandom } from '../../../sandbox/seeded-random.ts';
import { until } from '../../cluster/until.ts';
import { startTestRuntime, type TestRuntime } from '../../support/start-test-runtime.ts';
import { buildGitea } from '../gitea/build-gitea.ts';
import { createGiteaClient, type GiteaClient, type GiteaJob } from '../gitea/gitea-client.ts';
import { type Relay, startRelay } from '../gitea/relay.ts';
import { type Gitea, startGitea } from '../gitea/start-gitea.ts';
import { type KillWitness, startKillWitness } from '../gitea/witness.ts';
import { makeWorkload, workloadLabels } from '../gitea/workload.ts';

/** `SEEDS=200 npm run test:ci -- queue` runs more. */
const seeds = Array.from({ length: Number(process.env['SEEDS'] ?? 20) }, (_, index) => index + 1);
const repository = 'app';
const allJobsMs = 300_000;
const nothingLeftMs = 240_000;
const pauseMs = 500;
const reconcileIntervalMs = 5000;
const sweepIntervalMs = 5000;
const idleSeconds = 30;
const mostReplacements = 3;

let gitea: Gitea;
let client: GiteaClient;
let witness: KillWitness;
let davit: TestRuntime;
const started = new AsyncDisposableStack();

beforeAll(async () => {
  gitea = started.use(await startGitea(await buildGitea((text) => process.stderr.write(`${text}\n`))));
  client = createGiteaClient(gitea);
  witness = started.use(await startKillWitness());
  const folder = (name: string) => fileURLToPath(new URL(`../gitea/${name}`, import.meta.url));
  const env = {
    PATH: `${folder('bin')}:${process.env['PATH'] ?? ''}`,
    TEST_NODE: process.execPath,
    TEST_ACT_RUNNER: folder('act-runner.ts'),
    TEST_WITNESS_URL: witness.url,
  };
  davit = started.use(
    await startTestRuntime({
      changeConfig: (config) => ({
        ...config,
        ciSystems: [
          ...config.ciSystems,
          {
            name: 'gitea',
            provider: 'gitea',
            url: gitea.url,
            webhookSecret: 'gitea-webhook',
            tokenSecret: 'gitea-token',
          },
        ],
        profiles: Object.entries(workloadLabels).map(([name, labels]) =>
          Profile.parse({
            name,
            labels,
            clusters: config.clusters.map((cluster) => cluster.name),
            namespace: config.profiles[0]?.namespace,
            runner: 'gitea',
            idleSeconds,
            template: { spec: { containers: [{ name: 'agent', image: 'davit.dev/act-runner' }] } },
          }),
        ),
      }),
      secrets: { 'gitea-token': gitea.adminToken },
      reconcileIntervalMs,
      sweepIntervalMs,
      sandbox: { images: { 'davit.dev/act-runner': { command: ['sh'], env } } },
    }),
  );
});

afterAll(async () => {
  await started.disposeAsync();
});

describe('a real Gitea hands its jobs to whichever runner asks first', () => {
  test.concurrent.each(seeds)('and every job of seed %i runs, on an agent that nobody ends meanwhile', async (seed) => {
    const random = seededRandom(seed);
    await using relay = await startRelay({ target: webhookUrl, delayOf: () => random() * 1000 });

    const judged = await runSeed(`mixed${seed}`, seed, relay);

    expect(judged).toEqual(asItShould);
    expect(relay.refused).toEqual([]);
  });

  test.concurrent.each(seeds.slice(0, Math.ceil(seeds.length / 4)))(
    'and every job of seed %i runs, with three in ten webhooks lost',
    async (seed) => {
      const random = seededRandom(seed + 1000);
      const delayOf = () => (random() < 0.3 ? undefined : random() * 1000);
      await using relay = await startRelay({ target: webhookUrl, delayOf });

      const judged = await runSeed(`lossy${seed}`, seed, relay);

      expect(judged).toEqual(asItShould);
      expect(relay.lost()).toBeGreaterThan(0);
    },
  );
});

/** What went wrong with a seed's jobs. */
interface Judged {
  /** Jobs that Gitea still has queued or running. */
  unfinished: string[];
  /** Jobs that ended badly, beside those that their concurrency group cancelled. */
  failed: string[];
  /** Agents that were ended while they ran a job that nobody had cancelled. */
  endedMidway: string[];
  runnersLeft: string[];
  podsLeft: string[];
  /** Agents that were made twice, or one replacement too many. */
  agentsTooMany: string[];
}

const asItShould: Judged = {
  unfinished: [],
  failed: [],
  endedMidway: [],
  runnersLeft: [],
  podsLeft: [],
  agentsTooMany: [],
};

function webhookUrl(): string {
  return `${davit.runtime.url}/webhooks/gitea`;
}

async function runSeed(organization: string, seed: number, relay: Relay): Promise<Judged> {
  await client.createOrganization(organization);
  const { id: repositoryId } = await client.createRepository(organization, repository);
  await client.createWebhook(organization, { url: relay.url, secret: await davit.runtime.webhookSecret('gitea') });
  const { workflows, jobs } = makeWorkload(seed);
  let atMs = 0;
  for (const workflow of workflows) {
    await sleep(workflow.atMs - atMs);
    atMs = workflow.atMs;
    await client.commitWorkflow(organization, repository, workflow.file, workflow.content);
  }
  await untilEnded(organization, jobs);
  if (seed % 2 === 0) {
    const [run] = (await client.listRuns(organization, repository)).filter(
      ({ conclusion }) => conclusion === 'success',
    );
    await client.rerun(organization, repository, run?.id ?? 0);
    await untilEnded(organization, jobs);
  }
  await patiently(`nothing of ${organization} is left`, nothingLeftMs, async () => {
    const runners = await client.listRunners(organization);
    return runners.length === 0 && podsLeft(repositoryId).length === 0;
  });
  const found = await client.listJobs(organization, repository);
  const isOwn = (agent: string) => agent.startsWith(`davit-gitea-${repositoryId}-`);
  const killed = witness.killed.map(({ agent }) => agent).filter(isOwn);
  return {
    unfinished: found.filter(({ status }) => status !== 'completed').map(describeJob),
    failed: found.filter((job) => job.conclusion !== 'success' && !isCancelled(job)).map(describeJob),
    endedMidway: killed.filter((agent) => !found.some((job) => isCancelled(job) && ranOn(job, agent))),
    runnersLeft: await client.listRunners(organization),
    podsLeft: podsLeft(repositoryId),
    agentsTooMany: agentsTooMany(repositoryId),
  };
}

/** Commits that come fast are one push to Gitea, which may start a workflow twice: there are at least so many jobs. */
async function untilEnded(organization: string, jobs: number): Promise<void> {
  await patiently(`${jobs} jobs of ${organization} have ended`, allJobsMs, async () => {
    const found = await client.listJobs(organization, repository);
    return found.length >= jobs && found.every(({ status }) => status === 'completed');
  });
}

/** The judge says what is wrong, and better than a wait that came to no end. */
async function patiently(what: string, forMs: number, look: () => Promise<boolean>): Promise<void> {
  await until(what, forMs, async () => {
    const isSo = await look();
    if (!isSo) await sleep(pauseMs);
    return isSo;
  }).catch((error: unknown) => process.stderr.write(`${String(error)}\n`));
}

function describeJob({ id, name, status, conclusion, runner_name: runner }: GiteaJob): string {
  return `job ${id} (${name}): ${status}, ${conclusion ?? 'no conclusion'}, runner ${runner ?? 'none'}`;
}

/** Only jobs of a concurrency group that cancels what runs are cancelled by anybody but davit. */
function isCancelled({ name, conclusion }: GiteaJob): boolean {
  return conclusion === 'cancelled' && name.startsWith('deploy');
}

function ranOn({ runner_name: runner = '' }: GiteaJob, agentName: string): boolean {
  return runner.endsWith(agentName.replace(/^davit-/, '-'));
}

function podsLeft(repositoryId: number): string[] {
  return davit.history.left().filter((name) => name.startsWith(`Pod davit-gitea-${repositoryId}-`));
}

/** An agent's Pod is made once, and a job gets one agent of its own and at most three replacements. */
function agentsTooMany(repositoryId: number): string[] {
  const made = davit.history.created('pods').filter((name) => name.startsWith(`davit-gitea-${repositoryId}-`));
  const twice = made.filter((name, index) => made.indexOf(name) !== index);
  return [...twice, ...made.filter((name) => Number(/-x(\d+)/.exec(name)?.[1] ?? 0) > mostReplacements)];
}

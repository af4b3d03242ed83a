import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import * as z from 'zod';
import { Config } from '../../../core/config/config.ts';
import { AgentName } from '../../../core/launch/names.ts';
import { runnerNameOf } from '../../../core/launch/runner-names.ts';
import { agentCommand } from '../../../local/agent/image.ts';
import { deliveredJob } from '../../../local/github/github-hook.ts';
import type { GithubJob } from '../../../local/github/github-state.ts';
import { createGithubWebhooks, type GithubWebhooks, type JobAction } from '../../../local/github/github-webhooks.ts';
import { type LocalGithub, startGithub } from '../../../local/github/start-github.ts';
import type { KubeObject } from '../../../sandbox/cluster-store.ts';
import { seededRandom } from '../../../sandbox/seeded-random.ts';
import { definitionText } from '../../../scripts/statemachine/read-definition.ts';
import { verifyJobs } from '../../../verify/jobs/verify-jobs.ts';
import { type AwsTestRuntime, startAwsTestRuntime } from '../../support/start-aws-test-runtime.ts';
import type { Violation } from '../../support/unsettled.ts';
import { keepJobEvents } from '../ci/github/job-events.ts';
import { until } from '../cluster/until.ts';
import { readRecording, versionVariable } from './recording.ts';
import { ownRounds, type Restless, unsettledAfterRounds } from './rounds.ts';

const jobsOfWave = 6;
/** Fewer than a wave has jobs, so that jobs wait for slots. */
const maxAgents = 3;
/** A slot that a killed function took for no launch is free two minutes later. */
const roundsOnTop = 2;
/** Of ten webhooks, so many are lost. */
const lostOfTen = 3;
const patienceMs = 60_000;

const profileName = 'linux';
const organization = 'acme';
const tokenSecret = 'davit-token-github';
const lookMs = 500;

test('jobs come to rest within the rounds while both versions run the functions, on the state machine of either', async () => {
  const definitions = [definitionText, readRecording().definition];
  const ended = await Promise.all(definitions.map((definition, index) => runJobs(definition, index + 1)));

  expect(ended.map(({ left }) => left)).toEqual([[], []]);
  expect(ended.map(({ jobs }) => jobs)).toMatchObject(definitions.map(() => ({ ran: 2 * jobsOfWave, findings: [] })));
  for (const { ran } of ended) expect(Math.min(ran.this, ran.other)).toBeGreaterThan(jobsOfWave);
});

/** Runs two waves of jobs while their functions are killed and their Pods evicted. @returns what was seen after the rounds */
async function runJobs(definition: string, seed: number) {
  await using world = await startWorld(definition, seed);
  const { davit, github, directory } = world;
  queueWave(world, 'app');
  await until('an agent runs its job', patienceMs, async () => running(github)[0]);
  await davit.runtime.functions.killWorker('create-pod');
  await evictOneThatRuns(world);
  await writeFile(join(directory, 'go'), '');
  queueWave(world, 'site');
  await evictOneThatComesUp(world);
  await davit.runtime.functions.killWorker('create-pod');
  const restless = (): Restless => ({
    launchIds: [...world.launchIds],
    lasting: [],
    limits: [`profile/${profileName}`],
    others: waitingJobs(github),
  });
  const left = await unsettledAfterRounds(davit, restless, roundsOnTop);
  return { left, jobs: verifyJobs(world.events), ran: world.ran };
}

/** A davit of two versions, and a GitHub that loses webhooks and notices the loss of a runner. */
interface World extends AsyncDisposable {
  davit: AwsTestRuntime;
  github: LocalGithub;
  events: ReturnType<typeof keepJobEvents>['events'];
  /** How many invocations each version has run. */
  ran: { this: number; other: number };
  /** The launches whose executions have begun. */
  launchIds: ReadonlySet<string>;
  /** Jobs go on once it has the file `go`. */
  directory: string;
}

async function startWorld(definition: string, seed: number): Promise<World> {
  await using started = new AsyncDisposableStack();
  const random = seededRandom(seed);
  const { events, onJob: note } = keepJobEvents();
  let webhooks: GithubWebhooks | undefined;
  const deliver = (job: GithubJob, action: JobAction) => {
    note?.(job, action);
    // davit lists the jobs of a repository that has sent an event.
    const isFirst = github.state.jobs.find(({ repository }) => repository === job.repository) === job;
    if (!isFirst && random() * 10 < lostOfTen) return;
    void webhooks?.deliver(deliveredJob(github, job), action).catch(warn);
  };
  const github = await startGithub({ organizations: [organization], onJob: deliver, onFailure: warn });
  started.defer(() => github.stop());
  const ran = { this: 0, other: 0 };
  const folder = z.string().parse(process.env[versionVariable]);
  const config = configOf(github.url);
  const davit = started.use(
    await startAwsTestRuntime({
      ...ownRounds,
      changeConfig: () => Config.parse(config),
      secrets: { [tokenSecret]: github.token },
      definition,
      // The other version may answer as its own description says.
      onAnswer: () => {},
      otherVersion: {
        folder,
        config: (await configSchemaIn(folder)).parse(config),
        isNext: () => {
          const isOther = random() < 0.5;
          ran[isOther ? 'other' : 'this'] += 1;
          return isOther;
        },
      },
    }),
  );
  webhooks = createGithubWebhooks(`${davit.runtime.url}/webhooks/github`, await davit.runtime.webhookSecret('github'));
  const launchIds = new Set<string>();
  davit.runtime.stepFunctions.onEvent((_event, { name }) => launchIds.add(name));
  const noticing = setInterval(() => failLostJobs({ davit, github }), lookMs);
  started.defer(() => clearInterval(noticing));
  const world = { davit, github, events, ran, launchIds, directory: davit.stateDirectory };
  const all = started.move();
  return { ...world, [Symbol.asyncDispose]: () => all.disposeAsync() };
}

/** Imports another version's schema of davit.yaml, which has defaults of its own. */
async function configSchemaIn(folder: string): Promise<{ parse(config: unknown): unknown }> {
  const module: unknown = await import(pathToFileURL(join(folder, 'core/config/config.ts')).href);
  return z.object({ Config: z.custom<{ parse(config: unknown): unknown }>() }).parse(module).Config;
}

/** davit.yaml, without defaults. */
function configOf(url: string): object {
  const container = {
    name: 'agent',
    image: 'davit.dev/reference-agent',
    // Without a command, davit would start GitHub's runner.
    command: [...agentCommand],
    env: [{ name: 'AGENT_PORT', value: '8811' }],
  };
  return {
    clusters: [{ name: 'sandbox', kubeconfigSecret: 'davit-kubeconfig-sandbox' }],
    ciSystems: [{ name: 'github', provider: 'github', url, webhookSecret: 'davit-webhook-github', tokenSecret }],
    profiles: [
      {
        name: profileName,
        labels: ['linux'],
        clusters: ['sandbox'],
        namespace: 'davit-agents',
        runner: 'github',
        scope: 'repository',
        maxAgents,
        template: { spec: { terminationGracePeriodSeconds: 1, containers: [container] } },
      },
    ],
  };
}

function queueWave({ github, directory }: Pick<World, 'github' | 'directory'>, repository: string): void {
  const steps = [`until test -e ${join(directory, 'go')}; do sleep 0.1; done`];
  const jobs = Array.from({ length: jobsOfWave }, (_, index) => ({ name: `job-${index}`, labels: ['linux'], steps }));
  github.state.queueRun(organization, repository, jobs);
}

function running({ state }: LocalGithub): GithubJob[] {
  return state.jobs.filter(({ status }) => status === 'in_progress');
}

function waitingJobs({ state }: LocalGithub): Violation[] {
  return state.jobs
    .filter(({ status }) => status !== 'completed')
    .map(({ id, status }) => ({ launchId: '', detail: `job ${id} is ${status}` }));
}

/** Does what GitHub does some minutes after a runner was lost. */
function failLostJobs({ davit, github }: Pick<World, 'davit' | 'github'>): void {
  for (const { runnerId = 0, runnerName } of running(github)) {
    const runner = github.state.runners.get(runnerId);
    const pod = podsOf(davit).find(({ metadata: { name } }) => nameOfRunner(davit, name) === runnerName);
    if (runner !== undefined && pod?.status?.['phase'] !== 'Running') github.state.complete(runner, false);
  }
}

function nameOfRunner({ runtime }: AwsTestRuntime, agentName: string): string {
  return runnerNameOf(runtime.services.installationId, AgentName.parse(agentName));
}

function podsOf({ cluster }: AwsTestRuntime): KubeObject[] {
  return cluster.sandbox.store.list('pods');
}

async function evictOneThatRuns({ davit, github }: World): Promise<void> {
  const [job] = running(github);
  const pod = podsOf(davit).find(({ metadata: { name } }) => nameOfRunner(davit, name) === job?.runnerName);
  if (pod === undefined) throw new Error('no agent runs a job');
  await davit.cluster.sandbox.node.evict(pod);
}

async function evictOneThatComesUp({ davit }: World): Promise<void> {
  const before = new Set(podsOf(davit).map(({ metadata: { uid } }) => uid));
  const pod = await until('another agent comes up', patienceMs, async () =>
    podsOf(davit).find(({ metadata: { uid }, spec }) => !before.has(uid) && spec?.['nodeName'] !== undefined),
  );
  await davit.cluster.sandbox.node.evict(pod);
}

function warn(error: unknown): void {
  process.emitWarning(error instanceof Error ? error : String(error));
}

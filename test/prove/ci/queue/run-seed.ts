import { setTimeout as sleep } from 'node:timers/promises';
import { verifyJobs } from '../../../../verify/jobs/verify-jobs.ts';
import { until } from '../../cluster/until.ts';
import type { GiteaClient, GiteaJob, GiteaTask } from '../gitea/gitea-client.ts';
import { jobEventsOf } from './job-events.ts';
import type { KillRecorder } from './kill-recorder.ts';
import { makeWorkload, type WorkloadSize } from './workload.ts';

/** The system that runs a seed's jobs. */
export interface QueueWorld {
  client: GiteaClient;
  kills: KillRecorder;
  /** The secret of davit's webhook for Gitea. */
  webhookSecret: string;
  /** The names of the created Pods, in order. A name repeats if it was created repeatedly. */
  podsMade(): Promise<string[]>;
  /** The names of the existing Pods. */
  podsLeft(): Promise<string[]>;
}

/** The names of the Pods among the names of objects that are left. */
export function podsIn(left: readonly string[]): string[] {
  return left.flatMap((name) => (name.startsWith('Pod ') ? [name.slice(4)] : []));
}

/** A seed, and how to run it. */
export interface SeedRun {
  organization: string;
  seed: number;
  /** The URL to which Gitea delivers webhooks. */
  webhookUrl: string;
  /** @default 10 jobs */
  size?: WorkloadSize;
  /** A second repository of the organization; no profile takes its jobs. */
  forbidden?: string;
  /** The time limit for all jobs, in milliseconds. @default 5 minutes */
  allJobsMs?: number;
  /** The time limit for the removal of leftovers, in milliseconds. @default 4 minutes */
  nothingLeftMs?: number;
  /** Called when all workflows are committed. */
  onCommitted?: () => void;
}

/** The result of a seed's jobs. */
export interface SeedCounts {
  jobs: number;
  /** Jobs that a concurrency group cancelled, queued or running. */
  cancelled: number;
  /** Jobs that ran on an agent that another job had requested, among those whose runner Gitea still knows. */
  crossed: number;
  agents: number;
  /** Agents beside the first one of a job's attempt. */
  replacements: number;
  /** From the first commit until the last job ended. */
  tookSeconds: number;
}

/** A workflow of one job, which a push starts. */
export const workflowOfOneStep = 'on: [push]\njobs:\n  steal:\n    runs-on: linux\n    steps:\n      - run: "true"\n';

const repository = 'app';
const pauseMs = 500;
/** A replacement needs two looks a minute apart, and a seed takes less than ten minutes. */
const mostReplacements = 8;

/**
 * Runs a seed's jobs in a new organization of a Gitea, and judges the result.
 *
 * @returns the judge's findings, such as `endedMidway: davit-gitea-1-2-1`
 */
export async function runSeed(world: QueueWorld, run: SeedRun): Promise<{ problems: string[]; counts: SeedCounts }> {
  const { client } = world;
  const { organization, seed, forbidden, allJobsMs = 300_000, nothingLeftMs = 240_000 } = run;
  await client.createOrganization(organization);
  const { id: repositoryId } = await client.createRepository(organization, repository);
  const other = forbidden === undefined ? undefined : await client.createRepository(organization, forbidden);
  await client.createWebhook(organization, { url: run.webhookUrl, secret: world.webhookSecret });
  const startedMs = performance.now();
  if (forbidden !== undefined) {
    await client.commitWorkflow(organization, forbidden, 'w.yaml', workflowOfOneStep);
  }
  const jobs = await commitAll(client, run);
  run.onCommitted?.();
  await untilEnded(client, organization, jobs, allJobsMs);
  if (seed % 2 === 0) {
    const runs = await client.listRuns(organization, repository);
    const succeeded = runs.find(({ conclusion }) => conclusion === 'success');
    if (succeeded !== undefined) await client.rerun(organization, repository, succeeded.id);
    await untilEnded(client, organization, jobs, allJobsMs);
  }
  const tookSeconds = Math.round((performance.now() - startedMs) / 1000);

  const of = (id: number) => `davit-gitea-${id}-`;
  const runnersLeft = async () => [
    ...(await client.listRunners(organization)),
    ...(await client.listRunners(organization, repository)),
  ];
  const podsLeft = async () => (await world.podsLeft()).filter((name) => name.startsWith(of(repositoryId)));
  await patiently(`nothing of ${organization} is left`, nothingLeftMs, async () => {
    return (await runnersLeft()).length === 0 && (await podsLeft()).length === 0;
  });
  const found = await client.listJobs(organization, repository);
  const all = await world.podsMade();
  const made = all.filter((name) => name.startsWith(of(repositoryId)));
  // Gitea forgets which runner ran a job once the runner is gone, but it keeps each task.
  const tasks = new Map((await client.listTasks(organization, repository)).map((task) => [`${task.id}`, task]));
  const killed = world.kills.killed.filter(({ agent }) => agent.startsWith(of(repositoryId)));
  const strayed = forbidden === undefined ? [] : await client.listJobs(organization, forbidden);
  const problems = {
    unfinished: found.filter(({ status }) => status !== 'completed').map(describeJob),
    failed: found.filter((job) => job.conclusion !== 'success' && !isCancelled(job)).map(describeJob),
    // Agents that were ended while they ran a job that nobody had cancelled.
    endedMidway: killed.filter(({ task }) => !isCancelledTask(tasks.get(task))).map(({ agent }) => agent),
    runnersLeft: await runnersLeft(),
    podsLeft: await podsLeft(),
    agentsTooMany: agentsTooMany(made),
    // By Gitea's word alone.
    histories: verifyJobs(jobEventsOf(found)).findings.map(({ subject, rule, seen }) => `${subject}: ${rule}; ${seen}`),
    // Agents that were launched for a job of the forbidden repository, and its jobs that ran on any agent.
    forbidden: [
      ...strayed.filter(({ status }) => status !== 'queued').map(describeJob),
      ...all.filter((name) => other !== undefined && name.startsWith(of(other.id))),
    ],
  };
  return {
    problems: Object.entries(problems).flatMap(([kind, those]) => those.map((problem) => `${kind}: ${problem}`)),
    counts: countAll(found, made, tookSeconds),
  };
}

async function commitAll(client: GiteaClient, { organization, seed, size }: SeedRun): Promise<number> {
  const { workflows, jobs } = makeWorkload(seed, size);
  let atMs = 0;
  for (const workflow of workflows) {
    await sleep(workflow.atMs - atMs);
    atMs = workflow.atMs;
    await client.commitWorkflow(organization, repository, workflow.file, workflow.content);
  }
  return jobs;
}

/** Gitea merges rapid commits into one push, which may start a workflow twice: this number of jobs is a minimum. */
async function untilEnded(client: GiteaClient, organization: string, jobs: number, withinMs: number): Promise<void> {
  await patiently(`${jobs} jobs of ${organization} have ended`, withinMs, async () => {
    const found = await client.listJobs(organization, repository);
    return found.length >= jobs && found.every(({ status }) => status === 'completed');
  });
}

/** Only logs an error when time runs out: the judge reports the violations better. Retries while Gitea is away. */
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

/** Only jobs of a concurrency group with `cancel-in-progress` may be cancelled by anything but davit. */
function isCancelled({ name, conclusion }: Pick<GiteaJob, 'name' | 'conclusion'>): boolean {
  return conclusion === 'cancelled' && name.startsWith('deploy');
}

function isCancelledTask(task: GiteaTask | undefined): boolean {
  return task !== undefined && isCancelled({ name: task.name, conclusion: task.status });
}

/** An agent's Pod is created once. A job gets one agent of its own, and no more replacements than there is time for. */
function agentsTooMany(made: readonly string[]): string[] {
  const twice = made.filter((name, index) => made.indexOf(name) !== index);
  return [...twice, ...made.filter((name) => Number(/-x(\d+)/.exec(name)?.[1] ?? 0) > mostReplacements)];
}

function countAll(found: readonly GiteaJob[], made: readonly string[], tookSeconds: number): SeedCounts {
  return {
    jobs: found.length,
    cancelled: found.filter(isCancelled).length,
    crossed: found.filter(({ id, runner_name: runner = '' }) => runner !== '' && !isOfJob(runner, id)).length,
    agents: made.length,
    replacements: made.filter((name) => /-x\d+/.test(name)).length,
    tookSeconds,
  };
}

/** A runner's name ends in CI system, repository, job and attempt. */
function isOfJob(runnerName: string, jobId: number): boolean {
  return /-gitea-\d+-(\d+)-\d+(?:-[rx]\d+)*$/.exec(runnerName)?.[1] === `${jobId}`;
}

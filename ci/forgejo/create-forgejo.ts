import { setTimeout as wait } from 'node:timers/promises';
import type { CiScope, RepositoryName } from '../../core/ci/ci-scope.ts';
import type { ReadJob } from '../../core/job/job-record.ts';
import type { CiInspection } from '../../ports/ci-inspection.ts';
import type {
  CiJobState,
  CiJobStatus,
  CiSystem,
  ListedRunner,
  PinnedJobs,
  RunnersPage,
} from '../../ports/ci-system.ts';
import type { CiAccess } from '../ci-credentials.ts';
import { apiOf } from '../ci-http.ts';
import { extentOf } from '../overlapping-pages.ts';
import { createRateMeter } from '../rate-meter.ts';
import { refusalsOf } from '../refusals.ts';
import { repositoryPath } from '../scope-path.ts';
import { type Job, type Runner, standingOf } from './answers.ts';
import { ForgejoApi } from './forgejo-api.ts';
import { readJob } from './read-job.ts';

/** How davit reaches a Forgejo, and whose jobs it takes there. Its token may manage the scope's runners. */
export interface ForgejoOptions extends CiAccess {
  /** The scope's path in the API, without a slash at its beginning: `admin`, `user`, `orgs/acme`, `repos/acme/app`. */
  scope: string;
  /** @default the time passes */
  sleep?: (ms: number) => Promise<unknown>;
}

/**
 * Within what time after it has got its job, or after an outage of Forgejo, an agent reports, in milliseconds. It reports
 * each second, and Forgejo shows its runner as active for 10 s after each report.
 */
const reportsWithinMs = 15_000;

/**
 * For how long a runner is watched that is idle while its job runs somewhere, and how often, in milliseconds. Forgejo shows
 * a runner as offline whose agent has been silent for 60 s. So one that stays idle for longer asks for its job.
 */
const watchMs = 65_000;
const lookMs = 5000;

/** The name of the runner with which `davit doctor` checks its permissions. */
const checkName = 'davit-doctor';

/**
 * Acts in a Forgejo, version 15 or newer. davit registers a runner for one attempt of one job, and its agent takes no other
 * job. Forgejo gives that job to whichever runner asks first, so another runner may have it. Forgejo forgets an ephemeral
 * runner when its agent has reported the end of its job, and when the job that it runs is cancelled.
 *
 * @see https://forgejo.org/docs/latest/user/api-usage/ and docs/adr/0037
 */
export function createForgejo(
  options: ForgejoOptions,
): CiSystem & CiInspection & { pinned: Required<Pick<PinnedJobs, 'runnerStatus'>> } {
  const { name, url, scope: place, sleep = wait } = options;
  const refuse = refusalsOf(name, 'Forgejo');
  const meter = createRateMeter();
  const api = new ForgejoApi(apiOf(options, meter), `/${place}`);

  /** The jobs that ran somewhere when `stopAssigning` asked, by the runners that it was about. */
  const ranBefore = new Map<number, ReadonlySet<string>>();

  async function runningHandles(): Promise<Set<string>> {
    return new Set((await api.jobs()).filter(({ status }) => status === 'running').map(({ handle }) => handle));
  }

  /**
   * Says whether a runner's agent may have its job. While the job runs on some runner, one idle moment proves nothing: the
   * agent may have got the job just now, or its network may be down.
   */
  async function mayRun({ id, status }: Runner, handle: string | undefined): Promise<boolean> {
    if (status === 'active') return true;
    if (handle === undefined || !(await runningHandles()).has(handle)) return false;
    if (status === 'offline' || ranBefore.get(id)?.has(handle) !== true) return true;
    for (let watchedMs = 0; watchedMs < watchMs; watchedMs += lookMs) {
      await sleep(lookMs);
      const now = await api.runner(id);
      if (now?.status !== 'idle') return now !== undefined;
    }
    return false;
  }

  async function ownRunners(page: number, namePrefix: string): Promise<RunnersPage> {
    const read = await api.runnersOnPage(page);
    const named = read.items.filter((runner) => runner.name.startsWith(namePrefix));
    return { runners: named.map(listedOf), ...extentOf(read, page) };
  }

  return {
    // An agent reports again within this time after an outage, in which its runner has become idle.
    settleMs: reportsWithinMs,
    pinned: {
      runnerStatus: async (_scope: CiScope, runnerId: number) => {
        const runner = await api.runner(runnerId);
        if (runner === undefined) return 'gone';
        return runner.status === 'active' || runner.status === 'idle' ? runner.status : undefined;
      },
    },
    usage: () => meter.usage(),
    register: async (_scope, runner) => {
      const handle = runner.pinnedTo ?? refuse('registers agents for one job only');
      const { id, uuid, token } = await api.register(runner.name);
      return {
        runner: { id, name: runner.name },
        environment: {
          FORGEJO_URL: url,
          FORGEJO_RUNNER_UUID: uuid,
          FORGEJO_RUNNER_TOKEN: token,
          FORGEJO_RUNNER_LABELS: runner.labels.join(','),
          FORGEJO_JOB_HANDLE: handle,
        },
      };
    },
    // Forgejo cannot stop a runner, and this one may get its own job alone. The answer also shows that Forgejo is up.
    stopAssigning: async (_scope, runnerId) => void ranBefore.set(runnerId, await runningHandles()),
    removeIfIdle: async (_scope, runnerId, pinnedTo) => {
      const runner = await api.runner(runnerId);
      if (runner === undefined) return 'gone';
      // Forgejo would delete a runner that runs a job, too.
      const isBusy = await mayRun(runner, pinnedTo);
      ranBefore.delete(runnerId);
      if (isBusy) return 'busy';
      return (await api.deleteRunner(runnerId)) ? 'removed' : 'gone';
    },
    runnersNamed: async (_scope, runnerName) =>
      (await api.runners()).filter((runner) => runner.name === runnerName).map(listedOf),
    findRunners: async (_scope, namePrefix) =>
      (await api.runners()).filter((runner) => runner.name.startsWith(namePrefix)).map(listedOf),
    runnersOnPage: async (_scope, namePrefix, page) => ownRunners(page, namePrefix),
    getRunner: async (_scope, runnerId) => {
      const runner = await api.runner(runnerId);
      return runner && { id: runner.id, name: runner.name };
    },
    getJob: async (repository, jobId, known = {}) => readJob(api, repository, `${jobId}`, known),
    listsJobsOf: 'organization',
    listJobs: async (_scope, statuses) => {
      const jobs = await api.jobs();
      // An agent takes a job by its handle, which a job that is older than Forgejo 15 lacks.
      const wanted = jobs.filter((job) => job.handle !== '' && includes(statuses, standingOf(job.status).status));
      const listed = await Promise.all(wanted.map(async (job) => jobOf(job, await api.repository(job.repo_id), url)));
      return listed.flatMap((job) => job ?? []);
    },
    // Forgejo has no runner groups.
    checkGroup: async () => {},
    listWebhooks: async () => [],
    checkRunners: async () => {
      await api.checkNames();
      // An earlier check that was killed has left its runner.
      for (const runner of await api.runners()) {
        if (runner.name === checkName && runner.status !== 'active') await api.deleteRunner(runner.id);
      }
      const { id } = await api.register(checkName);
      await api.runner(id);
      await api.deleteRunner(id);
    },
    listDeliveries: async () => ({ attempts: [] }),
    redeliver: async () => refuse('sends no webhooks of jobs'),
    rerunFailed: async () => refuse('runs no job again by its API'),
    setCommitStatus: async () => refuse('does not say which commit a job builds'),
  };
}

function includes(statuses: readonly CiJobStatus[], status: CiJobState['status']): boolean {
  return statuses.some((each) => each === status);
}

/** An agent that has not reported lately may run a job even so. */
function listedOf({ id, name, status }: Runner): ListedRunner {
  return { id, name, ...(status === 'active' ? { isBusy: true } : {}) };
}

/** @returns undefined for a job whose repository is gone */
function jobOf(
  { handle, attempt, repo_id, run_id: runId, name, runs_on, status }: Job,
  repository: RepositoryName | undefined,
  url: string,
): ReadJob | undefined {
  if (repository === undefined) return undefined;
  return {
    jobId: handle,
    attempt,
    repository,
    repositoryId: repo_id,
    name,
    labels: runs_on ?? [],
    status: standingOf(status).status,
    url: `${url}${repositoryPath(repository).replace('/repos', '')}/actions`,
    ...(runId === undefined ? {} : { runId }),
  };
}

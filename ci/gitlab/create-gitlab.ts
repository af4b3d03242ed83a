import { atATime } from '../../core/at-a-time.ts';
import { type CiScope, everyOwner, repositoryText, scopeText } from '../../core/ci/ci-scope.ts';
import { TerminalError } from '../../core/errors/errors.ts';
import { byJobId } from '../../core/job/job-id.ts';
import type { ReadJob } from '../../core/job/job-record.ts';
import type { CiInspection } from '../../ports/ci-inspection.ts';
import type { CiJobStatus, CiSystem, ListedRunner, NewRunner, RunnerRemoval } from '../../ports/ci-system.ts';
import type { CiWebhooks } from '../../ports/ci-webhooks.ts';
import { createAgedCache } from '../../runtime/aged-cache.ts';
import type { CiAccess } from '../ci-credentials.ts';
import { createRateMeter } from '../rate-meter.ts';
import { refusalsOf } from '../refusals.ts';
import { isOver, type Job, queuedAtOf, type Runner, type RunnerDetails, runnerOf, stateOf } from './answers.ts';
import { GitlabApi, wordsOf } from './gitlab-api.ts';
import { jobsToRetry } from './jobs-to-retry.ts';
import { type GitlabPlace, isIn, isWithin, pathOf, placeOf, repositoryOf } from './place.ts';
import { putHook } from './put-hook.ts';
import { mayGetJob, pausingNote, stopNote, stoppedAtOf } from './stop-note.ts';

/** How davit reaches a GitLab, by a token with the scopes create_runner, manage_runner and read_api, and where it acts. */
export interface GitlabOptions extends CiAccess {
  /** The path of the group whose jobs davit takes. */
  group?: string | undefined;
  /** The path of the only project whose jobs davit takes, where there is no group. */
  project?: string | undefined;
  /** How long a paused runner may still get a job, in seconds. */
  settleSeconds: number;
  /** @default the system's */
  nowEpochMs?: () => number;
}

/** A group or project that is deleted and made again under its path has another id. */
const placeIdMaxAgeMs = 10 * 60_000;

/** How long a new project of a group waits for its first poll at most. Its webhooks are read before. */
const projectsMaxAgeMs = 60_000;

/** How many projects' jobs, or runners' jobs, to ask for at a time. */
const asksAtATime = 8;

/** The name and the only tag of the runner with which `davit doctor` checks its permissions. */
const checkName = 'davit-check';

/** GitLab's statuses of a job, as `listJobs` asks for them. */
const statusesOf: Readonly<Record<CiJobStatus, readonly string[]>> = {
  waiting: ['created', 'preparing', 'waiting_for_resource'],
  queued: ['pending'],
  in_progress: ['running'],
};

/**
 * Acts in a GitLab, version 16.11 or newer, in one group or in one project. A runner is none that ends with its job: davit
 * pauses it when it has one, and deletes it.
 *
 * GitLab reads whether a runner is paused, and hands out a job later without a second look, which may be on another
 * server. So a runner is deleted only after it has been paused for a while and its own list of jobs has none that runs.
 * The runner's maintenance note keeps since when it is paused. GitLab deletes a busy runner, too.
 *
 * @see https://docs.gitlab.com/api/runners/
 * @see https://gitlab.com/gitlab-org/gitlab/-/blob/master/lib/api/ci/runner.rb, `post '/request'`
 */
export function createGitlab(options: GitlabOptions): CiSystem & CiInspection & CiWebhooks {
  const { name, url, group, project, timeoutMs, nowEpochMs = Date.now } = options;
  const settleMs = options.settleSeconds * 1000;
  const own: GitlabPlace = group === undefined ? { project: project ?? '' } : { group };
  const refuse = refusalsOf(name, 'GitLab');
  const meter = createRateMeter(nowEpochMs);
  const headers = async () => ({ 'private-token': await options.readToken() });
  const api = new GitlabApi({
    name,
    baseUrl: `${url}/api/v4`,
    headers,
    renew: options.renew,
    meter,
    timeoutMs,
    wordsOf,
  });
  const projectIds = createAgedCache<readonly number[]>({
    load: (path) => api.projectIds(path),
    maxAgeMs: projectsMaxAgeMs,
    nowEpochMs,
  });
  const placeIds = createAgedCache<number>({
    load: (path) => api.placeId(path),
    maxAgeMs: placeIdMaxAgeMs,
    nowEpochMs,
  });

  /** Does nothing if GitLab shows a place: then what it does not have is gone. @throws TerminalError CiRefused */
  async function checkPlace(scope: CiScope): Promise<void> {
    await api.placeId(pathOf(placeOf(scope, own)));
  }

  async function jobsOf(scope: CiScope, statuses: readonly string[]): Promise<Job[]> {
    const place = placeOf(scope, own);
    return 'project' in place ? api.jobs(place.project, statuses) : jobsOfGroup(place.group, statuses);
  }

  /** Leaves out the projects that show no jobs, as one whose CI/CD is off. */
  async function jobsOfGroup(path: string, statuses: readonly string[]): Promise<Job[]> {
    const ids = await projectIds.get(path);
    const found: Job[] = [];
    const refusals: TerminalError[] = [];
    await atATime(asksAtATime, ids, async (id) => {
      try {
        found.push(...(await api.jobs(id, statuses)));
      } catch (error) {
        if (!(error instanceof TerminalError)) throw error;
        refusals.push(error);
      }
    });
    const [refusal] = refusals;
    if (refusal !== undefined && refusals.length === ids.length) throw refusal;
    return found;
  }

  async function listed({ id, description, job_execution_status: execution }: Runner): Promise<ListedRunner> {
    const isBusy = execution ? execution === 'active' : ((await runningOn(id)) ?? []).length > 0;
    return { ...runnerOf({ id, description }), isBusy };
  }

  async function readRunners(scope: CiScope, namePrefix: string, page: number) {
    const { items, next, pages } = await api.runners(placeOf(scope, own), page);
    return { own: items.filter(({ description }) => description?.startsWith(namePrefix)), next, pages };
  }

  async function findRunners(scope: CiScope, namePrefix: string): Promise<ListedRunner[]> {
    const found: Runner[] = [];
    let page: number | undefined = 1;
    while (page !== undefined) {
      const read: Awaited<ReturnType<typeof readRunners>> = await readRunners(scope, namePrefix, page);
      found.push(...read.own);
      page = read.next;
    }
    const runners: ListedRunner[] = [];
    await atATime(asksAtATime, found, async (runner) => void runners.push(await listed(runner)));
    return runners.toSorted((one, other) => one.id - other.id);
  }

  /** Lists the jobs of a runner that are not over. @returns undefined when there is no such runner */
  async function runningOn(runnerId: number) {
    return (await api.jobsOfRunner(runnerId))?.filter(({ status }) => !isOver(status));
  }

  async function detailsOf(scope: CiScope, runnerId: number): Promise<RunnerDetails | undefined> {
    const runner = await api.runner(runnerId);
    if (runner === undefined) await checkPlace(scope);
    return runner;
  }

  /** Pauses a runner, and keeps the moment of an earlier call. */
  async function stop(scope: CiScope, runnerId: number): Promise<void> {
    const runner = await detailsOf(scope, runnerId);
    if (runner === undefined || stoppedAtOf(runner) !== undefined) return;
    // A slow request takes effect long after it was sent. So davit notes the moment only once GitLab has answered:
    //   pause   sent ─────── takes effect ── answered ── noted: since now
    // A run that dies in between leaves a runner without a moment, which the next one pauses again.
    await api.pause(runnerId, pausingNote);
    await api.note(runnerId, stopNote(nowEpochMs()));
  }

  async function make(scope: CiScope, { name: runnerName, labels: tags }: NewRunner) {
    const place = placeOf(scope, own);
    return api.makeRunner({ place, placeId: await placeIds.get(pathOf(place)), name: runnerName, tags });
  }

  async function remove(scope: CiScope, runnerId: number): Promise<RunnerRemoval> {
    const runner = await detailsOf(scope, runnerId);
    if (runner === undefined) return 'gone';
    // Its jobs are read after this moment.
    if (mayGetJob(runner, settleMs, nowEpochMs())) return 'busy';
    const running = await runningOn(runnerId);
    if (running === undefined) return 'gone';
    if (running.length > 0) return 'busy';
    return (await api.deleteRunner(runnerId)) ? 'removed' : 'gone';
  }

  function jobOf(job: Job): ReadJob {
    const { id: jobId, name: jobName, tag_list: labels, web_url: jobUrl, pipeline } = job;
    return {
      ...stateOf(job),
      jobId,
      name: jobName,
      labels,
      url: jobUrl,
      repository: repositoryOf(jobUrl, url),
      repositoryId: pipeline.project_id,
      runId: pipeline.id,
      sha: pipeline.sha,
      queuedAtEpochMs: queuedAtOf(job, nowEpochMs()),
    };
  }

  return {
    settleMs,
    usage: () => meter.usage(),
    register: async (scope, runner) => {
      const { id, token } = await make(scope, runner);
      return {
        runner: { id, name: runner.name },
        environment: { GITLAB_URL: url, GITLAB_RUNNER_NAME: runner.name, GITLAB_RUNNER_TOKEN: token },
      };
    },
    stopAssigning: stop,
    limitToOneJob: async (scope, runnerId) => {
      await stop(scope, runnerId);
      return true;
    },
    stoppedAtEpochMs: async (scope, runnerId) => {
      const runner = await detailsOf(scope, runnerId);
      return runner === undefined ? 0 : stoppedAtOf(runner);
    },
    mayHaveHadJob: async (_scope, runnerId) => (await api.jobsOfRunner(runnerId))?.length !== 0,
    runningJob: async (_scope, runnerId) => {
      const [running] = (await runningOn(runnerId)) ?? [];
      const job = running && (await api.job(running.project.id, running.id));
      return job && !isOver(job.status) ? jobOf(job) : undefined;
    },
    removeIfIdle: remove,
    findRunners,
    runnersOnPage: async (scope, namePrefix, page) => {
      const { own: runners, next, pages = 1 } = await readRunners(scope, namePrefix, page);
      return { runners: runners.map(runnerOf), isLast: next === undefined, pages };
    },
    // GitLab finds no runner by its description.
    runnersNamed: async (scope, runnerName) => {
      const runners = await findRunners(scope, runnerName);
      return runners.filter((runner) => runner.name === runnerName).map(({ id }) => ({ id, name: runnerName }));
    },
    getRunner: async (scope, runnerId) => {
      const runner = await detailsOf(scope, runnerId);
      return runner && runnerOf(runner);
    },
    listsJobsOf: 'organization',
    getJob: async (repository, jobId: number) => {
      const job = await api.job(repositoryText(repository), jobId);
      if (job === undefined) await checkPlace({ repository });
      return job && stateOf(job);
    },
    findJob: async ({ repositoryId, jobId }) => {
      const job = await api.job(repositoryId, jobId);
      const read = job && jobOf(job);
      return read && isIn(own, read.repository) ? read : undefined;
    },
    listJobs: async (scope, statuses) => {
      const jobs = await jobsOf(
        scope,
        statuses.flatMap((status) => statusesOf[status]),
      );
      return jobs
        .filter(({ status }) => !isOver(status))
        .map(jobOf)
        .toSorted(byJobId);
    },
    rerunFailed: async (repository, runId, wanted) => {
      const path = repositoryText(repository);
      const jobs = jobsToRetry(await api.pipelineJobs(path, runId), wanted);
      if (jobs === 'running') return jobs;
      const again: number[] = [];
      for (const id of jobs) if (await api.retry(path, id)) again.push(id);
      return again;
    },
    // GitLab has no runner groups, and any of its group's jobs may take a runner.
    checkGroup: async () => {},
    listWebhooks: async (scope) =>
      (await api.hooks(placeOf(scope, own))).map(({ url: hookUrl, job_events: sendsJobs, alert_status: status }) => ({
        url: hookUrl,
        isActive: !status || status === 'executable',
        sendsJobs: sendsJobs === true,
      })),
    putWebhook: async (scope, webhook) => {
      const place = placeOf(scope, own);
      if (!isWithin(own, place)) refuse(`webhooks elsewhere are of no use: ${scopeText(scope)} is not in its entry`);
      return putHook(api, place, webhook);
    },
    checkRunners: async () => {
      const scope: CiScope = { organization: everyOwner };
      // An earlier check that was killed has left its runner.
      for (const runner of await findRunners(scope, checkName)) {
        if (runner.name === checkName && !runner.isBusy) await api.deleteRunner(runner.id);
      }
      const { id } = await make(scope, { name: checkName, labels: [checkName] });
      await api.pause(id, 'davit: a check');
      await api.jobsOfRunner(id);
      await api.deleteRunner(id);
    },
    listDeliveries: async () => ({ attempts: [] }),
    redeliver: async () => refuse('redelivers no webhook for davit'),
    setCommitStatus: async () => refuse('has jobs where others have statuses of commits'),
  };
}

import type { CiScope, RepositoryName } from '../../core/ci/ci-scope.ts';
import { TerminalError } from '../../core/errors/errors.ts';
import { byJobId } from '../../core/job/job-id.ts';
import type { ReadJob } from '../../core/job/job-record.ts';
import { present } from '../../core/present.ts';
import * as z from '../../core/zod.ts';
import type { CiJobState, CiJobStatus } from '../../ports/ci-system.ts';
import { repositoryPath } from '../scope-path.ts';
import type { Github } from './github.ts';
import { type GithubApi, isNotFound } from './github-api.ts';

/** Of how many runs to remember the repository's id. */
const mostKept = 20_000;

const Run = z.object({ id: z.int(), repository: z.object({ id: z.int() }) });
const Runs = z.object({ total_count: z.int(), workflow_runs: z.array(Run) });
const JobState = z.object({
  run_attempt: z.withDefault(z.int(), 1),
  status: z.string(),
  conclusion: z.nullish(z.string()),
  runner_id: z.nullish(z.int()),
  runner_name: z.nullish(z.string()),
});
const Job = z.extend(JobState, {
  id: z.int(),
  name: z.string(),
  labels: z.array(z.string()),
  html_url: z.nullish(z.string()),
  run_id: z.int(),
  workflow_name: z.nullish(z.string()),
  head_sha: z.string(),
  created_at: z.string(),
});
type Job = z.infer<typeof Job>;
const Jobs = z.object({ total_count: z.int(), jobs: z.array(Job) });
const RunState = z.object({ status: z.nullish(z.string()), run_attempt: z.withDefault(z.int(), 1) });

type OfJobs = 'getJob' | 'listsJobsOf' | 'listJobs' | 'jobsOfRun' | 'rerunFailed' | 'setCommitStatus';

/** Reads jobs, has them run again, and says at their commits what davit does. */
export function githubJobs({ name, call, read, readAll, parse }: GithubApi): Pick<Github, OfJobs> {
  const repositoryIdOfRun = new Map<number, number>();

  async function getJob(repository: RepositoryName, jobId: number): Promise<CiJobState | undefined> {
    const route = `GET ${repositoryPath(repository)}/actions/jobs/${jobId}`;
    const { status, data } = await call(route, { repository }, {}, [404]);
    if (status !== 404) return jobStateOf(parse(route, JobState, data));
    await call(`GET ${repositoryPath(repository)}/actions/runs`, { repository }, { per_page: 1 });
    return undefined;
  }

  async function listJobsOf(repository: RepositoryName, statuses: readonly CiJobStatus[]): Promise<ReadJob[]> {
    const runsRoute = `GET ${repositoryPath(repository)}/actions/runs`;
    const repositoryIds = new Map<number, number>();
    // A run in progress may have queued jobs, and a queued run may not show its jobs as queued yet.
    for (const status of ['queued', 'in_progress', 'waiting']) {
      const runs = await readAll(runsRoute, { repository }, Runs, (page) => page.workflow_runs, { status });
      for (const run of runs) repositoryIds.set(run.id, run.repository.id);
    }
    const found: ReadJob[] = [];
    for (const [runId, repositoryId] of repositoryIds) {
      const jobs = await latestJobsOf(repository, runId);
      found.push(...jobs.map((job) => jobOf(job, { repository, repositoryId })));
    }
    return found.filter(({ status }) => statuses.some((wanted) => wanted === status));
  }

  async function latestJobsOf(repository: RepositoryName, runId: number): Promise<Job[]> {
    const route = `GET ${repositoryPath(repository)}/actions/runs/${runId}/jobs`;
    return readAll(route, { repository }, Jobs, (page) => page.jobs, { filter: 'latest' });
  }

  /** The repository's id is in the run alone, and stays. */
  async function jobsOfRun(repository: RepositoryName, runId: number): Promise<ReadJob[]> {
    const route = `GET ${repositoryPath(repository)}/actions/runs/${runId}`;
    const repositoryId = repositoryIdOfRun.get(runId) ?? (await read(route, { repository }, Run)).repository.id;
    repositoryIdOfRun.set(runId, repositoryId);
    if (repositoryIdOfRun.size > mostKept) repositoryIdOfRun.clear();
    return (await latestJobsOf(repository, runId)).map((job) => jobOf(job, { repository, repositoryId }));
  }

  async function listJobs(scope: CiScope, statuses: readonly CiJobStatus[]): Promise<ReadJob[] | undefined> {
    if ('organization' in scope) {
      throw new TerminalError(
        'CiRefused',
        `${name}: there is no list of the jobs of organization ${scope.organization}`,
      );
    }
    const { repository } = scope;
    try {
      return (await listJobsOf(repository, statuses)).toSorted(byJobId);
    } catch (error) {
      if (!isNotFound(error)) throw error;
      const { status } = await call(`GET ${repositoryPath(repository)}`, { repository }, {}, [404]);
      if (status === 404) return undefined;
      throw error;
    }
  }

  return {
    getJob,
    listsJobsOf: 'repository',
    listJobs,
    jobsOfRun,
    rerunFailed: async (repository, runId, wanted) => {
      const actions = `${repositoryPath(repository)}/actions`;
      const route = `GET ${actions}/runs/${runId}`;
      const run = await read(route, { repository }, RunState);
      const latest = new Set(wanted.filter(({ attempt }) => run.run_attempt <= attempt).map(({ id }) => id));
      if (latest.size === 0) return [];
      // GitHub runs no job again while its run goes on.
      if (run.status !== 'completed') return 'running';
      const failed = (await latestJobsOf(repository, runId))
        .filter(({ id, conclusion }) => latest.has(id) && conclusion === 'failure')
        .map(({ id }) => id);
      const [only, ...others] = failed;
      if (only === undefined) return [];
      const rerun = others.length === 0 ? `jobs/${only}/rerun` : `runs/${runId}/rerun-failed-jobs`;
      await call(`POST ${actions}/${rerun}`, { repository });
      return failed;
    },
    setCommitStatus: async (repository, status) => {
      const { sha, state, context, description, targetUrl } = status;
      const body = { state, context, description, ...(targetUrl === undefined ? {} : { target_url: targetUrl }) };
      await call(`POST ${repositoryPath(repository)}/statuses/${sha}`, { repository }, body);
    },
  };
}

function jobOf(job: Job, place: Pick<ReadJob, 'repository' | 'repositoryId'>): ReadJob {
  return {
    ...jobStateOf(job),
    ...place,
    jobId: job.id,
    name: job.name,
    labels: job.labels,
    runId: job.run_id,
    sha: job.head_sha,
    queuedAtEpochMs: Date.parse(job.created_at),
    ...present({ url: job.html_url || undefined, workflow: job.workflow_name || undefined }),
  };
}

/** An unknown status, such as `requested`, does not say that the job is over. */
function jobStateOf({ run_attempt: attempt, status, conclusion, ...job }: z.infer<typeof JobState>): CiJobState {
  const known = (['queued', 'in_progress', 'completed'] as const).find((each) => each === status);
  return {
    attempt,
    status: known ?? 'waiting',
    ...(known === 'completed' && conclusion ? { conclusion } : {}),
    ...(job.runner_id ? { runner: { id: job.runner_id, name: job.runner_name ?? '' } } : {}),
  };
}

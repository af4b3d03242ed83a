import * as z from 'zod';
import { example, jobBody, pageOf, runnerBody, statusOfRun } from './bodies.ts';
import type { GithubJob, GithubState } from './github-state.ts';
import { jitConfigOf } from './jit-config.ts';
import { type Answer, type Asked, notFound, type Route } from './route.ts';

const JitRequest = z.object({
  name: z.string(),
  runner_group_id: z.int(),
  labels: z.array(z.string()).min(1).max(100),
});
const docsUrl = 'https://docs.github.com/rest';
const scopePattern = String.raw`/(?:orgs/([^/]+)|repos/([^/]+)/([^/]+))/actions/runners`;

function scopeOf([organization, owner, name]: string[]): string {
  return organization === undefined || organization === 'undefined' ? `${owner}/${name}` : organization;
}

/**
 * The routes of jobs, runners and statuses.
 *
 * @param urlOf returns this GitHub's own URL, which JIT configurations carry
 */
export function actionsRoutes(
  state: GithubState,
  statuses: Map<string, unknown[]>,
  organizations: ReadonlySet<string>,
  urlOf: () => string,
): readonly Route[] {
  return [
    ['POST', new RegExp(`^${scopePattern}/generate-jitconfig$`), generateJitConfig],
    ['GET', new RegExp(`^${scopePattern}$`), listRunners],
    ['GET', new RegExp(String.raw`^${scopePattern}/(\d+)$`), getRunner],
    ['DELETE', new RegExp(String.raw`^${scopePattern}/(\d+)$`), deleteRunner],
    ['GET', /^\/orgs\/([^/]+)\/actions\/runner-groups$/, listGroups],
    ['GET', /^\/orgs\/([^/]+)\/actions\/runner-groups\/(\d+)\/repositories$/, listGroupRepositories],
    ['GET', /^\/repos\/([^/]+)\/([^/]+)\/actions\/runs$/, listRuns],
    ['GET', /^\/repos\/([^/]+)\/([^/]+)\/actions\/runs\/(\d+)\/jobs$/, listJobs],
    ['GET', /^\/repos\/([^/]+)\/([^/]+)\/actions\/runs\/(\d+)$/, getRun],
    ['GET', /^\/repos\/([^/]+)\/([^/]+)\/actions\/jobs\/(\d+)$/, getJob],
    ['POST', /^\/repos\/([^/]+)\/([^/]+)\/actions\/jobs\/(\d+)\/rerun$/, rerunJob],
    ['POST', /^\/repos\/([^/]+)\/([^/]+)\/actions\/runs\/(\d+)\/rerun-failed-jobs$/, rerunFailedJobs],
    ['POST', /^\/repos\/([^/]+)\/([^/]+)\/statuses\/([0-9a-f]+)$/, setStatus],
  ];

  function generateJitConfig({ parameters, body }: Asked): Answer {
    const asked = JitRequest.safeParse(body);
    if (!asked.success) return { status: 422, body: { message: 'Validation Failed', documentation_url: docsUrl } };
    const { name, labels, runner_group_id: groupId } = asked.data;
    const made = state.register({ name, labels, groupId, scope: scopeOf(parameters) });
    if (made === undefined) return { status: 409, body: { message: 'Already exists', documentation_url: docsUrl } };
    return { status: 201, body: { runner: runnerBody(made), encoded_jit_config: jitConfigOf(made, urlOf()) } };
  }

  function listRunners({ parameters, query }: Asked): Answer {
    const scope = scopeOf(parameters);
    if (!organizations.has(scope.split('/', 1)[0] ?? '')) return notFound;
    const name = query.get('name');
    const found = [...state.runners.values()].filter(
      (runner) => runner.scope === scope && (name === null || runner.name === name),
    );
    return { status: 200, body: { total_count: found.length, runners: pageOf(found, query).map(runnerBody) } };
  }

  function getRunner({ parameters }: Asked): Answer {
    const runner = state.runners.get(Number(parameters[3]));
    return runner?.scope === scopeOf(parameters) ? { status: 200, body: runnerBody(runner) } : notFound;
  }

  function deleteRunner({ parameters }: Asked): Answer {
    const runner = state.runners.get(Number(parameters[3]));
    if (runner?.scope !== scopeOf(parameters)) return notFound;
    if (runner.busy)
      return {
        status: 422,
        body: { message: `Runner "${runner.name}" is currently running a job`, documentation_url: docsUrl },
      };
    state.remove(runner);
    return { status: 204 };
  }

  /** The latest attempts of a repository's jobs. */
  function jobsIn([owner, repository]: string[]): GithubJob[] {
    const all = state.jobs.filter((job) => job.owner === owner && job.repository === repository);
    const latest = new Map<string, number>();
    for (const job of all) latest.set(keyInRun(job), Math.max(latest.get(keyInRun(job)) ?? 0, job.attempt));
    return all.filter((job) => job.attempt === latest.get(keyInRun(job)));
  }

  function getRun({ parameters }: Asked): Answer {
    const jobs = jobsIn(parameters).filter(({ runId }) => runId === Number(parameters[2]));
    if (jobs.length === 0) return notFound;
    return { status: 200, body: runBody(parameters, Number(parameters[2]), statusOfRun(jobs), attemptOf(jobs)) };
  }

  function getJob({ parameters: [owner, repository, id] }: Asked): Answer {
    const job = state.jobOf(owner, repository, Number(id));
    return job === undefined ? notFound : { status: 200, body: jobBody(job) };
  }

  function rerunJob({ parameters }: Asked): Answer {
    const job = state.jobOf(parameters[0], parameters[1], Number(parameters[2]));
    if (job === undefined) return notFound;
    const jobs = jobsIn(parameters).filter(({ runId }) => runId === job.runId);
    return rerun(jobs, [job]);
  }

  function rerunFailedJobs({ parameters }: Asked): Answer {
    const jobs = jobsIn(parameters).filter(({ runId }) => runId === Number(parameters[2]));
    if (jobs.length === 0) return notFound;
    return rerun(
      jobs,
      jobs.filter(({ conclusion }) => conclusion === 'failure'),
    );
  }

  function rerun(jobs: readonly GithubJob[], wanted: readonly GithubJob[]): Answer {
    if (statusOfRun(jobs) !== 'completed') {
      const message = 'The workflow run containing this job is already running';
      return { status: 403, body: { message, documentation_url: docsUrl } };
    }
    const attempt = attemptOf(jobs) + 1;
    for (const job of wanted) state.rerun(job, attempt);
    return { status: 201, body: {} };
  }

  function runBody([owner = '', name = '']: string[], id: number, status: string, attempt: number) {
    const repository = { ...repositoryExample(), id: state.repositoryIdOf(owner, name), name };
    const run = { ...example('workflow-run'), id, repository, head_repository: repository };
    return { ...run, status, run_attempt: attempt };
  }

  /** A repository exists once it has had a job. */
  function listRuns({ parameters, query }: Asked): Answer {
    if (jobsIn(parameters).length === 0) return notFound;
    const wanted = query.get('status');
    const found = [...Map.groupBy(jobsIn(parameters), ({ runId }) => runId)].filter(
      ([, jobs]) => wanted === null || statusOfRun(jobs) === wanted,
    );
    const runs = pageOf(found, query).map(([id, jobs]) =>
      runBody(parameters, id, wanted ?? statusOfRun(jobs), attemptOf(jobs)),
    );
    return { status: 200, body: { total_count: found.length, workflow_runs: runs } };
  }

  function listJobs({ parameters, query }: Asked): Answer {
    const found = jobsIn(parameters).filter(({ runId }) => runId === Number(parameters[2]));
    return { status: 200, body: { total_count: found.length, jobs: pageOf(found, query).map(jobBody) } };
  }

  function listGroups(): Answer {
    const base = z.looseObject({ runner_groups: z.array(z.looseObject({})) }).parse(example('runner-groups-org'));
    const groups = state.groups.map(({ name, repositories }, index) => {
      return { ...base.runner_groups[0], id: index + 1, name, visibility: repositories ? 'selected' : 'all' };
    });
    return { status: 200, body: { total_count: groups.length, runner_groups: groups } };
  }

  function listGroupRepositories({ parameters: [organization, id], query }: Asked): Answer {
    const repositories = state.groups[Number(id) - 1]?.repositories ?? [];
    const shown = pageOf(repositories, query).map((name) => {
      return { ...repositoryExample(), name, full_name: `${organization}/${name}` };
    });
    return { status: 200, body: { total_count: repositories.length, repositories: shown } };
  }

  function setStatus({ parameters: [owner, repository, sha], body }: Asked): Answer {
    const key = `${owner}/${repository}/${sha}`;
    statuses.set(key, [...(statuses.get(key) ?? []), body]);
    return { status: 201, body: { ...example('status'), ...z.looseObject({}).parse(body) } };
  }
}

function repositoryExample(): Record<string, unknown> {
  return z.looseObject({ repository: z.looseObject({}) }).parse(example('workflow-run')).repository;
}

/** Returns the key that all attempts of a job share. */
function keyInRun({ runId, name }: GithubJob): string {
  return `${runId} ${name}`;
}

function attemptOf(jobs: readonly GithubJob[]): number {
  return Math.max(...jobs.map(({ attempt }) => attempt));
}

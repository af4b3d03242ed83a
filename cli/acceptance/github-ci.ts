import { setTimeout as sleep } from 'node:timers/promises';
import { request as octokitRequest } from '@octokit/request';
import { githubApiVersion } from '../../ci/github/github-api.ts';
import { publicGithubUrl } from '../../ci/github/github-url.ts';
import type { GithubAccess } from '../../ci/github/open-github.ts';
import { isThrottled } from '../../ci/rate-meter.ts';
import { repositoryPath } from '../../ci/scope-path.ts';
import { TerminalError, TransientError } from '../../core/errors/errors.ts';
import * as z from '../../core/zod.ts';
import { KeptElsewhere } from '../api/secret-source.ts';
import type { AcceptanceBranch, AcceptanceCi, RepositoryWebhooks, SeenAttempt } from './acceptance-ci.ts';
import { branchWords, commitOf } from './workflow.ts';
import { attemptOf, type BatchRun, jobFields, momentOf, Run, Runs, runsOf } from './workflow-runs.ts';

const folder = '.github/workflows';
/** GitHub allows 5000 requests in an hour: this takes at most half of them. */
const pauseMs = 3000;
const pageSize = 100;
/** How often a run is asked whether it is over. */
const mostLooks = 20;

const Commits = z.array(z.object({ sha: z.string() })).check(z.minLength(1));
const Meta = z.object({ installed_version: z.optional(z.string()) });
const Job = z.object({ ...jobFields, run_attempt: z.withDefault(z.int(), 1) });
type Job = z.infer<typeof Job>;
const Jobs = z.object({ jobs: z.array(Job), total_count: z.int() });
const Hook = z.object({
  id: z.int(),
  active: z.boolean(),
  events: z.array(z.string()),
  config: z.object({
    url: z.optional(z.string()),
    content_type: z.optional(z.string()),
    insecure_ssl: z.optional(z.union([z.string(), z.number()])),
  }),
});
const Failure = z.object({ status: z.int(), message: z.string() });

/**
 * Runs workflows in a GitHub or a GitHub Enterprise Server. Its credential has the permissions Contents, Workflows and
 * Actions: write, and Webhooks: write to turn the repository's webhook off.
 *
 * @see https://docs.github.com/en/rest/actions/workflow-runs
 */
export function githubCi(access: GithubAccess, place: AcceptanceBranch): AcceptanceCi {
  const { name, url, apiUrl, timeoutMs } = access;
  const repository = repositoryPath(place.repository);
  const send = octokitRequest.defaults({
    baseUrl: apiUrl,
    headers: { 'user-agent': 'davit', 'x-github-api-version': githubApiVersion },
  });

  async function call(
    route: string,
    parameters: Record<string, unknown> = {},
    expect: readonly number[] = [],
  ): Promise<unknown> {
    try {
      const authorization = await access.authorize({ repository: place.repository });
      const request = { signal: AbortSignal.timeout(timeoutMs) };
      return (await send(route, { ...parameters, headers: { authorization }, request })).data;
    } catch (error) {
      const failure = z.safeParse(Failure, error).data;
      if (failure !== undefined && expect.includes(failure.status)) return undefined;
      throw errorOf(`${name}: ${route}`, failure, error);
    }
  }

  async function ask<Schema extends z.core.$ZodType>(
    route: string,
    schema: Schema,
    parameters: Record<string, unknown> = {},
  ): Promise<z.output<Schema>> {
    const read = z.safeParse(schema, await call(route, parameters));
    if (read.success) return read.data;
    throw new TransientError('CiUnavailable', `${name}: ${route}: an answer of another shape`);
  }

  async function listRuns(batches: readonly string[]): Promise<BatchRun[]> {
    const found = await ask(`GET ${repository}/actions/runs`, Runs, { branch: place.branch, per_page: pageSize });
    return runsOf(found.workflow_runs, batches);
  }

  async function listJobs(runId: number): Promise<Job[]> {
    const found: Job[] = [];
    for (let page = 1; ; page += 1) {
      const parameters = { filter: 'all', per_page: pageSize, page };
      const { jobs, total_count: total } = await ask(`GET ${repository}/actions/runs/${runId}/jobs`, Jobs, parameters);
      found.push(...jobs);
      if (jobs.length === 0 || found.length >= total) return found;
    }
  }

  const hooks = `${repository}/hooks`;
  const webhooks: RepositoryWebhooks = {
    // A repository has at most 20 for one event.
    list: async () => {
      const found = await ask(`GET ${hooks}`, z.array(Hook), { per_page: pageSize });
      return found.map(({ id, active, events, config }) => ({
        id,
        url: config.url ?? '',
        isActive: active,
        sendsJobs: events.includes('workflow_job') || events.includes('*'),
      }));
    },
    // A change that repeats no secret removes it, and one that repeats no events chooses `push`.
    setActive: async (id, active, secret) => {
      const { events, config } = await ask(`GET ${hooks}/${id}`, Hook);
      await call(`PATCH ${hooks}/${id}`, { active, events, config: { ...config, secret } });
    },
  };

  return {
    pauseMs,
    ...branchWords(place),
    webhooks,
    readVersion: async () => {
      if (url === publicGithubUrl) return 'GitHub';
      const { installed_version: version } = await ask('GET /meta', Meta);
      return version === undefined ? 'GitHub Enterprise Cloud' : `GitHub Enterprise Server ${version}`;
    },
    open: async () => {
      const [head] = await ask(`GET ${repository}/commits`, Commits, { per_page: 1 });
      await call(`POST ${repository}/git/refs`, { ref: `refs/heads/${place.branch}`, sha: head?.sha });
    },
    // 422: there is no such branch.
    close: async () => {
      await call(`DELETE ${repository}/git/refs/heads/${place.branch}`, {}, [404, 422]);
    },
    start: async (batch) => {
      const { path, body } = commitOf(batch, folder, place);
      await call(`PUT ${repository}/contents/${path}`, body);
    },
    listAttempts: async (batches) => {
      const runs = await listRuns(batches);
      const jobs = runs.map(async (run) => (await listJobs(run.id)).map((job) => seenIn(run, job)));
      return (await Promise.all(jobs)).flat();
    },
    cancel: async (batch) => {
      const runs = (await listRuns([batch])).filter(({ status }) => status !== 'completed');
      // 409: it is over.
      for (const { id } of runs) await call(`POST ${repository}/actions/runs/${id}/cancel`, {}, [409]);
    },
    rerun: async (runId) => {
      const isOver = async () => (await ask(`GET ${repository}/actions/runs/${runId}`, Run)).status === 'completed';
      // A run is over a moment after its last job, and is not run again before.
      for (let left = mostLooks; left > 0 && !(await isOver()); left -= 1) await sleep(pauseMs);
      await call(`POST ${repository}/actions/runs/${runId}/rerun`);
    },
  };
}

function errorOf(what: string, failure: z.infer<typeof Failure> | undefined, cause: unknown): Error {
  const isOwn = [TerminalError, TransientError, KeptElsewhere].some((own) => cause instanceof own);
  if (cause instanceof Error && (isOwn || 'syscall' in cause)) return cause;
  const said = cause instanceof Error ? cause.message : String(cause);
  if (failure === undefined) return new TransientError('CiUnavailable', `${what}: ${said}`, {}, { cause });
  const words = `${what}: ${failure.status}: ${failure.message}`;
  const answered = { status: failure.status, header: () => undefined, words: failure.message };
  return failure.status >= 500 || isThrottled(answered)
    ? new TransientError('CiUnavailable', words, {}, { cause })
    : new TerminalError('CiRefused', words, {}, { cause });
}

/** For a queued job, and for a job that was cancelled in the queue, GitHub sends its creation as the start. */
function seenIn(run: BatchRun, job: Job): SeenAttempt {
  const startedAtEpochMs = job.runner_id ? momentOf(job.started_at) : undefined;
  return attemptOf(job, run, { attempt: job.run_attempt, queuedAtEpochMs: momentOf(job.created_at), startedAtEpochMs });
}

import type { CiRunner, CiScope, RepositoryName } from '../../core/ci/ci-scope.ts';
import { TerminalError, TransientError } from '../../core/errors/errors.ts';
import { byJobId } from '../../core/job/job-id.ts';
import type { ReadJob } from '../../core/job/job-record.ts';
import * as z from '../../core/zod.ts';
import type { CiInspection } from '../../ports/ci-inspection.ts';
import type { CiJobState, CiJobStatus, CiSystem, NewRunner } from '../../ports/ci-system.ts';
import type { CiWebhooks } from '../../ports/ci-webhooks.ts';
import { createAgedCache } from '../../runtime/aged-cache.ts';
import type { CiAccess } from '../ci-credentials.ts';
import {
  apiOf,
  askCi,
  askUnlessGone,
  type CiConnection,
  type CiRequest,
  callCi,
  errorOf,
  parseAnswer,
} from '../ci-http.ts';
import { extentOf, type ReadList, readOverlapping } from '../overlapping-pages.ts';
import { createRateMeter } from '../rate-meter.ts';
import { refusalsOf } from '../refusals.ts';
import { repositoryPath, scopePath } from '../scope-path.ts';
import { giteaAttempt } from './gitea-attempt.ts';
import { askAllPages, giteaPageSize } from './gitea-pages.ts';
import { jobsToRerun } from './jobs-to-rerun.ts';

/**
 * Gitea checks whether a runner is disabled before it opens the transaction that hands out a task, so a disabled runner
 * may still get a task. The transaction takes less than 15 s.
 */
const settleMs = 15_000;

/** A repository that is deleted and created again under its name has another id. */
const repositoryIdMaxAgeMs = 10 * 60_000;

/** Each is the newest of its moment. */
const maxRegistrationTokens = 3;

/** The runner version that davit reports. */
const runnerVersion = 'davit';

const Runner = z.object({ id: z.int(), name: z.string() });
const RunnerState = z.object({ disabled: z.boolean(), busy: z.optional(z.boolean()) });
const Runners = z.object({ runners: z.array(Runner), total_count: z.int() });
const Registered = z.object({
  runner: z.object({ id: z.coerce.number(), uuid: z.string(), token: z.string(), name: z.string() }),
});
const Job = z.object({
  id: z.int(),
  run_attempt: z.int(),
  name: z.string(),
  labels: z.nullable(z.array(z.string())),
  runner_id: z.optional(z.int()),
  runner_name: z.optional(z.string()),
  html_url: z.string(),
  run_id: z.int(),
  head_sha: z.string(),
  created_at: z.string(),
});
const JobState = z.object({
  run_attempt: z.int(),
  status: z.string(),
  conclusion: z.nullish(z.string()),
  runner_id: z.optional(z.int()),
  runner_name: z.optional(z.string()),
});
const JobStates = z.object({
  jobs: z.array(z.object({ id: z.int(), run_attempt: z.int(), status: z.string(), conclusion: z.nullish(z.string()) })),
  total_count: z.int(),
});
const Jobs = z.object({ jobs: z.array(Job), total_count: z.int() });
const jobEvent = 'workflow_job';
const Hook = z.object({
  id: z.int(),
  active: z.boolean(),
  events: z.array(z.string()),
  config: z.object({ url: z.optional(z.string()) }),
});

/**
 * Acts in a Gitea, version 1.26 or newer, by an access token with the scopes write:organization and write:repository.
 *
 * @see https://docs.gitea.com/api/1.26/
 */
export function createGitea(options: CiAccess): CiSystem & CiInspection & CiWebhooks {
  const { name, url, timeoutMs } = options;
  const meter = createRateMeter();
  const api = apiOf(options, meter);
  // The token in the body authenticates a registration.
  const rpc: CiConnection = {
    name,
    baseUrl: `${url}/api/actions/runner.v1.RunnerService`,
    headers: async () => ({}),
    meter,
    timeoutMs,
  };

  const repositoryIds = createAgedCache<number>({
    load: async (path) => (await askCi(api, { method: 'GET', path }, z.object({ id: z.int() }))).id,
    maxAgeMs: repositoryIdMaxAgeMs,
    nowEpochMs: Date.now,
  });

  /**
   * Asks for one thing. Gitea also answers 404 for things that it hides, so a thing is gone only if davit sees its place.
   *
   * @returns undefined for a thing that is gone
   * @throws as `askCi`; TerminalError CiRefused when Gitea does not show the place
   */
  async function askUnlessHidden<Answer>(
    request: CiRequest,
    schema: z.core.$ZodType<Answer>,
    place: string,
  ): Promise<Answer | undefined> {
    const found = await askUnlessGone(api, request, schema);
    if (found === undefined) await callCi(api, { method: 'GET', path: place });
    return found;
  }

  async function readJobs(scope: CiScope, status: CiJobStatus): Promise<ReadList<z.infer<typeof Job>>> {
    return readOverlapping(giteaPageSize, async (limit, page) => {
      const path = `${scopePath(scope)}/actions/jobs?status=${status}&limit=${limit}&page=${page}`;
      const { jobs: items, total_count: total } = await askCi(api, { method: 'GET', path }, Jobs);
      return { items, total };
    });
  }

  async function listJobsOf(scope: CiScope, status: CiJobStatus): Promise<ReadJob[]> {
    const { items } = await readJobs(scope, status);
    return Promise.all(
      items.map(async (job) => {
        const repository = repositoryOf(job.html_url, url);
        return jobOf(job, status, { repository, repositoryId: await repositoryIds.get(repositoryPath(repository)) });
      }),
    );
  }

  async function readRunners(scope: CiScope, limit: number, page: number) {
    const path = `${scopePath(scope)}/actions/runners?limit=${limit}&page=${page}`;
    const { runners: items, total_count: total } = await askCi(api, { method: 'GET', path }, Runners);
    return { items, total };
  }

  async function listRunners(scope: CiScope): Promise<CiRunner[]> {
    return (await readOverlapping(giteaPageSize, (limit, page) => readRunners(scope, limit, page))).items;
  }

  /** This list has its length in a header only; the page after its end is empty. */
  async function listHooks(scope: CiScope): Promise<z.infer<typeof Hook>[]> {
    return askAllPages(`${scopePath(scope)}/hooks`, async (request) => ({
      items: await askCi(api, request, z.array(Hook)),
      total: Infinity,
    }));
  }

  /** The runners that davit has disabled here and not removed since. */
  const stopped = new Set<number>();

  /**
   * Whether a runner that davit disabled may have a job that no list shows: somebody has enabled it after that, or its agent
   * has reported on a job in the last 10 s. Since 1.27, a cancelled job goes on until its last steps have run, and Gitea
   * does not count it as one in progress.
   *
   * @see https://github.com/go-gitea/gitea/pull/37275
   */
  async function mayHaveJob(path: string, runnerId: number): Promise<boolean> {
    if (!stopped.has(runnerId)) return false;
    const runner = await askUnlessGone(api, { method: 'GET', path }, RunnerState);
    return runner !== undefined && (!runner.disabled || runner.busy === true);
  }

  /** @throws TransientError CiUnavailable when the list changes faster than davit reads it */
  async function runs(scope: CiScope, runnerId: number): Promise<boolean> {
    const { items, isWhole } = await readJobs(scope, 'in_progress');
    if (items.some(({ runner_id: id }) => id === runnerId)) return true;
    if (isWhole) return false;
    throw new TransientError('CiUnavailable', `${name}: the running jobs change faster than davit reads their list`);
  }

  /**
   * Gitea makes a scope's registration token when the first is asked for, and invalidates the others. Of several first
   * registrations at the same moment each may get another token.
   */
  async function registerAnew(
    scope: CiScope,
    { name: runner, labels }: NewRunner,
    tokensLeft: number,
  ): Promise<z.output<typeof Registered>['runner']> {
    const asked: CiRequest = { method: 'POST', path: `${scopePath(scope)}/actions/runners/registration-token` };
    // This token registers any number of runners and never expires: it must not leave this function.
    const { token } = await askCi(api, asked, z.object({ token: z.string() }));
    const body = { name: runner, token, version: runnerVersion, labels, ephemeral: true };
    const registering: CiRequest = { method: 'POST', path: '/Register', body, expect: [500] };
    const answer = await callCi(rpc, registering);
    if (answer.status !== 500) return parseAnswer(rpc, registering, Registered, answer.body).runner;
    if (tokensLeft > 1 && answer.text.includes('has been invalidated')) {
      return registerAnew(scope, { name: runner, labels }, tokensLeft - 1);
    }
    throw errorOf(rpc, registering, answer);
  }

  return {
    settleMs,
    listsJobsOf: 'organization',
    usage: () => meter.usage(),
    register: async (scope, runner) => {
      const { id, uuid, token, name: runnerName } = await registerAnew(scope, runner, maxRegistrationTokens);
      return {
        runner: { id, name: runnerName },
        environment: {
          GITEA_INSTANCE_URL: url,
          GITEA_RUNNER_ID: String(id),
          GITEA_RUNNER_NAME: runnerName,
          GITEA_RUNNER_UUID: uuid,
          GITEA_RUNNER_TOKEN: token,
          GITEA_RUNNER_LABELS: runner.labels.join(','),
        },
      };
    },
    stopAssigning: async (scope, runnerId) => {
      const path = `${scopePath(scope)}/actions/runners/${runnerId}`;
      const { status } = await callCi(api, { method: 'PATCH', path, body: { disabled: true }, expect: [404] });
      if (status !== 404) stopped.add(runnerId);
    },
    removeIfIdle: async (scope, runnerId) => {
      // Gitea would delete a busy runner, too, so the list of running jobs decides.
      if (await runs(scope, runnerId)) return 'busy';
      const path = `${scopePath(scope)}/actions/runners/${runnerId}`;
      if (await mayHaveJob(path, runnerId)) return 'busy';
      const { status } = await callCi(api, { method: 'DELETE', path, expect: [404] });
      stopped.delete(runnerId);
      return status === 404 ? 'gone' : 'removed';
    },
    // Gitea finds no runner by its name.
    runnersNamed: async (scope, runnerName) =>
      (await listRunners(scope)).filter((runner) => runner.name === runnerName),
    findRunners: async (scope, namePrefix) =>
      (await listRunners(scope)).filter((runner) => runner.name.startsWith(namePrefix)),
    runnersOnPage: async (scope, namePrefix, page) => {
      const read = await readRunners(scope, giteaPageSize, page);
      const runners = read.items.filter((runner) => runner.name.startsWith(namePrefix));
      return { runners, ...extentOf(read, page) };
    },
    getRunner: async (scope, runnerId) => {
      const runners = `${scopePath(scope)}/actions/runners`;
      return askUnlessHidden({ method: 'GET', path: `${runners}/${runnerId}` }, Runner, `${runners}?limit=1`);
    },
    getJob: async (repository, jobId: number) => {
      const place = repositoryPath(repository);
      const job = await askUnlessHidden({ method: 'GET', path: `${place}/actions/jobs/${jobId}` }, JobState, place);
      return job && jobStateOf(job);
    },
    listJobs: async (scope, statuses) => {
      const lists = await Promise.all(statuses.map((status) => listJobsOf(scope, status)));
      return lists.flat().toSorted(byJobId);
    },
    // Gitea has no runner groups.
    checkGroup: async () => {},
    listWebhooks: async (scope) =>
      (await listHooks(scope)).map(({ active, events, config: { url: target = '' } }) => ({
        url: target,
        isActive: active,
        sendsJobs: events.includes(jobEvent),
      })),
    putWebhook: async (scope, webhook) => {
      const path = `${scopePath(scope)}/hooks`;
      const before = (await listHooks(scope)).filter((hook) => hook.config.url === webhook.url);
      const events = [...new Set([...before.flatMap((hook) => hook.events), jobEvent])];
      const body = { type: 'gitea', active: true, events, config: { ...webhook, content_type: 'json' } };
      await callCi(api, { method: 'POST', path, body });
      // Gitea 1.26 does not take the secret of a change: the new webhook replaces the old one, which goes last.
      for (const { id } of before) await callCi(api, { method: 'DELETE', path: `${path}/${id}`, expect: [404] });
      return before.length === 0 ? 'made' : 'corrected';
    },
    // Gitea shows deliveries only on its pages; its API cannot redeliver them.
    listDeliveries: async () => ({ attempts: [] }),
    redeliver: async () => refusalsOf(name, 'Gitea')('redelivers no webhook by its API'),
    rerunFailed: async (repository, runId, wanted) => {
      const path = `${repositoryPath(repository)}/actions/runs/${runId}`;
      const jobs = await askAllPages(`${path}/jobs`, async (request) => {
        const page = await askCi(api, request, JobStates);
        return { items: page.jobs, total: page.total_count };
      });
      const failed = jobsToRerun(
        jobs.map(({ run_attempt: attempt, ...job }) => ({ ...job, attempt })),
        wanted,
      );
      if (failed === 'running') return failed;
      const [only, ...others] = failed;
      if (only === undefined) return [];
      const rerun = others.length === 0 ? `jobs/${only}/rerun` : 'rerun-failed-jobs';
      await callCi(api, { method: 'POST', path: `${path}/${rerun}` });
      return failed;
    },
    setCommitStatus: async (repository, status) => {
      const { sha, state, context, description, targetUrl } = status;
      const body = { state, context, description, ...(targetUrl === undefined ? {} : { target_url: targetUrl }) };
      const path = `${repositoryPath(repository)}/statuses/${sha}`;
      await callCi(api, { method: 'POST', path, body });
    },
  };
}

/** An unknown status does not say that the job is over. */
function jobStateOf(job: z.infer<typeof JobState>): CiJobState {
  const { status, conclusion, runner_id: runnerId = 0, runner_name: name = '' } = job;
  const known = (['queued', 'in_progress', 'completed'] as const).find((each) => each === status);
  return {
    attempt: giteaAttempt(job.run_attempt, runnerId === 0 ? undefined : runnerId),
    status: known ?? 'waiting',
    ...(known === 'completed' && conclusion ? { conclusion } : {}),
    ...(runnerId === 0 ? {} : { runner: { id: runnerId, name } }),
  };
}

/**
 * A list of an organization's jobs names their repositories only in their links. A re-run keeps the moment of the first attempt.
 */
function jobOf(
  job: z.infer<typeof Job>,
  status: CiJobStatus,
  place: Pick<ReadJob, 'repository' | 'repositoryId'>,
): ReadJob {
  const { id: jobId, name, labels, runner_id: runnerId, runner_name: runnerName = '' } = job;
  const attempt = giteaAttempt(job.run_attempt, runnerId);
  return {
    jobId,
    name,
    labels: labels ?? [],
    status,
    attempt,
    ...place,
    url: job.html_url,
    runId: job.run_id,
    sha: job.head_sha,
    ...(attempt === 1 ? { queuedAtEpochMs: Date.parse(job.created_at) } : {}),
    ...(runnerId === undefined ? {} : { runner: { id: runnerId, name: runnerName } }),
  };
}

function repositoryOf(htmlUrl: string, url: string): RepositoryName {
  const [owner, name] = htmlUrl.startsWith(`${url}/`) ? htmlUrl.slice(url.length + 1).split('/') : [];
  if (owner === undefined || name === undefined) {
    throw new TerminalError('CiRefused', `${htmlUrl} is no job below ${url}: is ROOT_URL of this Gitea its url here?`);
  }
  return { owner: decodeURIComponent(owner), name: decodeURIComponent(name) };
}

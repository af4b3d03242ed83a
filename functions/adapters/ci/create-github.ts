import { request as octokitRequest } from '@octokit/request';
import type { CiRunner, CiScope, RepositoryName } from '../../domain/ci-scope.ts';
import { TerminalError, TransientError } from '../../domain/errors.ts';
import type {
  CiJob,
  CiJobStatus,
  CiSystem,
  CommitStatus,
  FailedDelivery,
  NewRunner,
  Registration,
} from '../../ports/ci-system.ts';
import * as z from '../../zod.ts';
import { repositoryPath, scopePath } from './scope-path.ts';

/** How davit reaches a GitHub, and with what. */
export interface GithubOptions {
  /** The configured name, for error messages. */
  name: string;
  /** `https://api.github.com`, or `https://HOST/api/v3` of a GitHub Enterprise Server. */
  apiUrl: string;
  /** Makes the authorization header for calls within a scope: an installation's token, or a personal access token. */
  authorize: (scope: CiScope) => Promise<string>;
  /** The same as the App itself; undefined without an App, whose hook alone has a list of deliveries. */
  authorizeApp?: () => Promise<string>;
  /** Called after a 401: the credential may have been rotated. The call is then made once more. @default nothing is */
  renew?: () => Promise<void>;
  timeoutMs: number;
}

const apiVersion = '2022-11-28';
const pageSize = 100;

const Runner = z.object({ id: z.int(), name: z.string() });
const Runners = z.object({ total_count: z.int(), runners: z.array(Runner) });
const Groups = z.object({ total_count: z.int(), runner_groups: z.array(Runner) });
const JitConfig = z.object({ runner: Runner, encoded_jit_config: z.string() });
const Run = z.object({ id: z.int(), repository: z.object({ id: z.int() }) });
const Runs = z.object({ total_count: z.int(), workflow_runs: z.array(Run) });
const Job = z.object({
  id: z.int(),
  run_attempt: z.withDefault(z.int(), 1),
  name: z.string(),
  labels: z.array(z.string()),
  status: z.string(),
  runner_id: z.nullish(z.int()),
  runner_name: z.nullish(z.string()),
  html_url: z.nullish(z.string()),
  run_id: z.int(),
  workflow_name: z.nullish(z.string()),
  head_sha: z.string(),
  created_at: z.string(),
});
const Jobs = z.object({ total_count: z.int(), jobs: z.array(Job) });
const Deliveries = z.array(
  z.object({ id: z.int(), guid: z.string(), delivered_at: z.string(), status_code: z.int(), event: z.string() }),
);
const RequestFailure = z.object({
  status: z.int(),
  message: z.string(),
  response: z.optional(z.object({ headers: z.record(z.string(), z.unknown()) })),
});

/**
 * Acts in a GitHub or a GitHub Enterprise Server.
 *
 * @see https://docs.github.com/en/rest/actions/self-hosted-runners
 */
export function createGithub(options: GithubOptions): CiSystem {
  const { name, timeoutMs } = options;
  const send = octokitRequest.defaults({
    baseUrl: options.apiUrl,
    headers: { 'user-agent': 'davit', 'x-github-api-version': apiVersion },
  });

  /**
   * Calls one route, within a scope or as the App.
   *
   * @returns `data` undefined for a status in `expect`
   */
  async function call(
    route: string,
    as: CiScope | 'app',
    parameters: Record<string, unknown> = {},
    expect: readonly number[] = [],
    isRenewed = false,
  ): Promise<{ status: number; data: unknown }> {
    try {
      const authorization = await (as === 'app' ? authorizeApp() : options.authorize(as));
      const { status, data } = await send(route, {
        ...parameters,
        headers: { authorization },
        request: { signal: AbortSignal.timeout(timeoutMs) },
      });
      return { status, data };
    } catch (error) {
      if (error instanceof TerminalError) throw error;
      const failure = z.safeParse(RequestFailure, error);
      if (!failure.success) throw unavailable(route, error instanceof Error ? error.message : String(error), error);
      const { status, message, response } = failure.data;
      if (expect.includes(status)) return { status, data: undefined };
      if (status === 401 && !isRenewed && options.renew !== undefined) {
        await options.renew();
        return call(route, as, parameters, expect, true);
      }
      const words = `${status}: ${message}`;
      if (status >= 500 || isThrottled(status, response?.headers ?? {})) throw unavailable(route, words, error);
      throw new TerminalError('CiRefused', `${name}: ${route}: ${words}`, {}, { cause: error });
    }
  }

  async function authorizeApp(): Promise<string> {
    if (options.authorizeApp !== undefined) return options.authorizeApp();
    throw new TerminalError('CiRefused', `${name}: only a GitHub App can do this`);
  }

  function unavailable(route: string, words: string, cause?: unknown): TransientError {
    return new TransientError('CiUnavailable', `${name}: ${route}: ${words}`, {}, { cause });
  }

  function parse<Schema extends z.core.$ZodType>(route: string, schema: Schema, data: unknown): z.output<Schema> {
    const parsed = z.safeParse(schema, data);
    if (parsed.success) return parsed.data;
    const [issue] = parsed.error.issues;
    throw unavailable(route, `an answer of another shape: ${issue?.path.join('.')}: ${issue?.message}`);
  }

  /** Follows pages by their total count. */
  async function callAll<Item>(
    route: string,
    scope: CiScope,
    parameters: Record<string, unknown>,
    read: (data: unknown) => { items: Item[]; total: number },
  ): Promise<Item[]> {
    const found: Item[] = [];
    for (let page = 1; ; page += 1) {
      const { data } = await call(route, scope, { ...parameters, per_page: pageSize, page });
      const { items, total } = read(data);
      found.push(...items);
      if (items.length === 0 || found.length >= total) return found;
    }
  }

  async function listRunners(scope: CiScope): Promise<CiRunner[]> {
    const route = `GET ${runnersOf(scope)}`;
    return callAll(route, scope, {}, (data) => {
      const page = parse(route, Runners, data);
      return { items: page.runners, total: page.total_count };
    });
  }

  /** GitHub's default group has the id 1. */
  async function groupIdOf(scope: CiScope, group: string | undefined): Promise<number> {
    if (group === undefined || 'repository' in scope) return 1;
    const route = `GET ${scopePath(scope)}/actions/runner-groups`;
    const groups = await callAll(route, scope, {}, (data) => {
      const page = parse(route, Groups, data);
      return { items: page.runner_groups, total: page.total_count };
    });
    const found = groups.find((candidate) => candidate.name === group);
    if (found !== undefined) return found.id;
    throw new TerminalError('CiRefused', `${name}: ${scope.organization} has no runner group ${group}`);
  }

  async function makeJitConfig(scope: CiScope, runner: NewRunner, groupId: number) {
    const route = `POST ${runnersOf(scope)}/generate-jitconfig`;
    const body = { name: runner.name, runner_group_id: groupId, labels: runner.labels, work_folder: '_work' };
    const { status, data } = await call(route, scope, body, [409]);
    return status === 409 ? undefined : parse(route, JitConfig, data);
  }

  async function removeIfIdle(scope: CiScope, runnerId: number): Promise<'removed' | 'busy'> {
    const route = `DELETE ${runnersOf(scope)}/${runnerId}`;
    const { status } = await call(route, scope, {}, [404, 422]);
    // GitHub answers 404 for what it does not show, too: a runner is gone only where its neighbours can be seen.
    if (status === 404) await call(`GET ${runnersOf(scope)}`, scope, { per_page: 1 });
    return status === 422 ? 'busy' : 'removed';
  }

  async function listJobsOf(repository: RepositoryName, statuses: readonly CiJobStatus[]): Promise<CiJob[]> {
    const runsRoute = `GET ${repositoryPath(repository)}/actions/runs`;
    const repositoryIds = new Map<number, number>();
    // A run that is in progress may have queued jobs, and a queued one none that is shown as queued yet.
    for (const status of ['queued', 'in_progress', 'waiting']) {
      const runs = await callAll(runsRoute, { repository }, { status }, (data) => {
        const page = parse(runsRoute, Runs, data);
        return { items: page.workflow_runs, total: page.total_count };
      });
      for (const run of runs) repositoryIds.set(run.id, run.repository.id);
    }
    const found: CiJob[] = [];
    for (const [runId, repositoryId] of repositoryIds) {
      const route = `GET ${repositoryPath(repository)}/actions/runs/${runId}/jobs`;
      const jobs = await callAll(route, { repository }, { filter: 'latest' }, (data) => {
        const page = parse(route, Jobs, data);
        return { items: page.jobs, total: page.total_count };
      });
      for (const job of jobs) {
        const status = statuses.find((wanted) => wanted === job.status);
        if (status !== undefined) found.push(jobOf(job, status, { repository, repositoryId }));
      }
    }
    return found;
  }

  return {
    // GitHub decides in the delete itself: it refuses to remove a busy runner.
    settleMs: 0,
    stopAssigning: async () => undefined,
    register: async (scope: CiScope, runner: NewRunner): Promise<Registration> => {
      const groupId = await groupIdOf(scope, runner.group);
      const made = await makeJitConfig(scope, runner, groupId);
      if (made === undefined) throw new TransientError('WriteConflict', `${name}: a runner ${runner.name} exists`);
      return { runner: made.runner, environment: { ACTIONS_RUNNER_INPUT_JITCONFIG: made.encoded_jit_config } };
    },
    removeIfIdle,
    findRunners: async (scope: CiScope, namePrefix: string): Promise<CiRunner[]> => {
      return (await listRunners(scope)).filter((runner) => runner.name.startsWith(namePrefix));
    },
    listJobs: async (
      scope: CiScope,
      statuses: readonly CiJobStatus[],
      repositories: readonly RepositoryName[],
    ): Promise<CiJob[]> => {
      const asked = 'repository' in scope ? [scope.repository] : repositories;
      const found: CiJob[] = [];
      for (const repository of asked) found.push(...(await listJobsOf(repository, statuses)));
      return found.toSorted((one, other) => one.id - other.id);
    },
    listFailedDeliveries: async (): Promise<FailedDelivery[]> => {
      if (options.authorizeApp === undefined) return [];
      const route = 'GET /app/hook/deliveries';
      const { data } = await call(route, 'app', { per_page: pageSize });
      return neverSucceeded(parse(route, Deliveries, data));
    },
    redeliver: async (deliveryId: number): Promise<void> => {
      await call(`POST /app/hook/deliveries/${deliveryId}/attempts`, 'app');
    },
    setCommitStatus: async (repository: RepositoryName, status: CommitStatus): Promise<void> => {
      const { sha, state, context, description, targetUrl } = status;
      const body = { state, context, description, ...(targetUrl === undefined ? {} : { target_url: targetUrl }) };
      await call(`POST ${repositoryPath(repository)}/statuses/${sha}`, { repository }, body);
    },
  };
}

function runnersOf(scope: CiScope): string {
  return `${scopePath(scope)}/actions/runners`;
}

/** GitHub throttles with 429, and with 403 and a header that says so. */
function isThrottled(status: number, headers: Record<string, unknown>): boolean {
  return (
    status === 429 ||
    (status === 403 && (headers['retry-after'] !== undefined || headers['x-ratelimit-remaining'] === '0'))
  );
}

function jobOf(
  job: z.infer<typeof Job>,
  status: CiJobStatus,
  place: Pick<CiJob, 'repository' | 'repositoryId'>,
): CiJob {
  const { id, name, labels, run_attempt: attempt, run_id: runId, head_sha: sha } = job;
  return {
    id,
    attempt,
    ...place,
    name,
    labels,
    status,
    url: job.html_url ?? '',
    runId,
    sha,
    queuedAtEpochMs: Date.parse(job.created_at),
    ...(job.workflow_name ? { workflow: job.workflow_name } : {}),
    ...(job.runner_id ? { runner: { id: job.runner_id, name: job.runner_name ?? '' } } : {}),
  };
}

/** The list has every attempt: a delivery has failed when none of its attempts succeeded. */
function neverSucceeded(attempts: z.infer<typeof Deliveries>): FailedDelivery[] {
  const succeeded = new Set(attempts.filter(({ status_code: code }) => code < 400).map(({ guid }) => guid));
  const failed = new Map<string, FailedDelivery>();
  for (const { id, guid, event, delivered_at: deliveredAt } of attempts.filter((each) => !succeeded.has(each.guid))) {
    const attempt = { id, guid, event, attempts: 1, attemptedAtEpochMs: Date.parse(deliveredAt) };
    const known = failed.get(guid);
    const latest = known === undefined || known.attemptedAtEpochMs < attempt.attemptedAtEpochMs ? attempt : known;
    failed.set(guid, { ...latest, attempts: (known?.attempts ?? 0) + 1 });
  }
  return [...failed.values()];
}

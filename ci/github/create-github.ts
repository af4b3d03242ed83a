import { request as octokitRequest } from '@octokit/request';
import { type CiRunner, CiScope, type RepositoryName } from '../../core/ci/ci-scope.ts';
import type { DeliveryAttempt } from '../../core/ci/failing-delivery.ts';
import { isRepositoryOf } from '../../core/ci/repository-glob.ts';
import { TerminalError, TransientError } from '../../core/errors/errors.ts';
import { present } from '../../core/present.ts';
import * as z from '../../core/zod.ts';
import type { CiInspection, CiWebhook } from '../../ports/ci-inspection.ts';
import type {
  CiJob,
  CiJobState,
  CiJobStatus,
  CiSystem,
  CommitStatus,
  FailedJob,
  FoundJob,
  ListedRunner,
  NewRunner,
  Registration,
  RunnerRemoval,
  RunnersPage,
} from '../../ports/ci-system.ts';
import type { CiWebhooks, WantedWebhook } from '../../ports/ci-webhooks.ts';
import { createAgedCache } from '../../runtime/aged-cache.ts';
import { extentOf, readOverlapping } from '../overlapping-pages.ts';
import { createRateMeter, type HeaderReader, isThrottled } from '../rate-meter.ts';
import { repositoryPath, scopePath } from '../scope-path.ts';

/** How davit reaches a GitHub, and with what. */
export interface GithubOptions {
  /** The configured name, for error messages. */
  name: string;
  /** `https://api.github.com`, or `https://HOST/api/v3` of a GitHub Enterprise Server. */
  apiUrl: string;
  /** Makes the authorization header for calls within a scope: an installation's token, or a personal access token. */
  authorize: (scope: CiScope) => Promise<string>;
  /** The same, for the App itself. Undefined without an App: only an App's hook has a list of deliveries. */
  authorizeApp?: () => Promise<string>;
  /**
   * Called after a 401, because the credential may have been rotated. davit then makes the call once more. @default none
   */
  renew?: () => Promise<void>;
  timeoutMs: number;
}

/** A GitHub, and what a scale set needs of it besides. */
export interface Github extends CiSystem, CiInspection, CiWebhooks {
  /** Makes a token with which runners, and clients of the service for scale sets, introduce themselves. */
  registrationToken(scope: CiScope): Promise<string>;
  /** As the port has it. */
  jobsOfRun(repository: RepositoryName, runId: number): Promise<FoundJob[]>;
}

/** The version of GitHub's REST API that davit speaks. */
export const githubApiVersion = '2022-11-28';

/** For how long a runner group that was checked counts as it was, in milliseconds. */
const groupMaxAgeMs = 5 * 60_000;

/** How many answers to keep, to ask GitHub only whether they have changed. */
const mostKept = 20_000;
const pageSize = 100;
const longestRunnerName = 64;

const Runner = z.object({ id: z.int(), name: z.string() });
const ListedRunnerBody = z.object({ id: z.int(), name: z.string(), busy: z.optional(z.boolean()) });
const Runners = z.object({ total_count: z.int(), runners: z.array(ListedRunnerBody) });
const Group = z.object({ id: z.int(), name: z.string(), visibility: z.string() });
const Groups = z.object({ total_count: z.int(), runner_groups: z.array(Group) });
const GroupRepositories = z.object({
  total_count: z.int(),
  repositories: z.array(z.object({ full_name: z.string() })),
});
const GroupWanted = z.object({
  scope: CiScope,
  group: z.optional(z.string()),
  repositories: z.optional(z.array(z.string())),
});
const RegistrationToken = z.object({ token: z.string().check(z.minLength(1)) });
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
const JobState = z.object({
  run_attempt: z.withDefault(z.int(), 1),
  status: z.string(),
  conclusion: z.nullish(z.string()),
  runner_id: z.nullish(z.int()),
  runner_name: z.nullish(z.string()),
});
const RunState = z.object({ status: z.nullish(z.string()), run_attempt: z.withDefault(z.int(), 1) });
const RunJobs = z.object({
  total_count: z.int(),
  jobs: z.array(z.object({ id: z.int(), conclusion: z.nullish(z.string()) })),
});
const Jobs = z.object({ total_count: z.int(), jobs: z.array(Job) });
const FoundJobs = z.object({
  total_count: z.int(),
  jobs: z.array(z.extend(Job, { conclusion: z.nullish(z.string()) })),
});
const jobEvent = 'workflow_job';
const Deliveries = z.array(
  z.object({ id: z.int(), guid: z.string(), delivered_at: z.string(), status_code: z.int(), event: z.string() }),
);
const Hooks = z.array(
  z.object({
    id: z.int(),
    active: z.boolean(),
    events: z.array(z.string()),
    config: z.object({ url: z.optional(z.string()) }),
    last_response: z.optional(z.object({ code: z.nullish(z.int()) })),
  }),
);
const AppHook = z.object({ url: z.optional(z.string()) });
const App = z.object({ events: z.array(z.string()) });
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
export function createGithub(options: GithubOptions): Github {
  const { name, timeoutMs } = options;
  const meter = createRateMeter();
  const kept = new Map<string, { etag: string; data: unknown }>();
  const repositoryIdOfRun = new Map<number, number>();

  function keep(key: string, answer: { etag: string; data: unknown }): void {
    kept.delete(key);
    kept.set(key, answer);
    const [oldest] = kept.size > mostKept ? kept.keys() : [];
    if (oldest !== undefined) kept.delete(oldest);
  }

  const send = octokitRequest.defaults({
    baseUrl: options.apiUrl,
    headers: { 'user-agent': 'davit', 'x-github-api-version': githubApiVersion },
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
  ): Promise<{ status: number; data: unknown; link?: string | undefined }> {
    const key = JSON.stringify([route, as, parameters]);
    const before = kept.get(key);
    meter.begin(`${name}: ${route}`);
    try {
      const authorization = await (as === 'app' ? authorizeApp() : options.authorize(as));
      const answer = await send(route, {
        ...parameters,
        headers: { authorization, ...(before === undefined ? {} : { 'if-none-match': before.etag }) },
        request: { signal: AbortSignal.timeout(timeoutMs) },
      });
      const header = headerOf(answer.headers);
      meter.heed(credentialOf(as), { status: answer.status, header, words: '' });
      const etag = header('etag');
      // Most repositories have no runs that go on and no runners of their own, and that stays so.
      if (/\/actions\/run(s|ners)$/.test(route) && etag !== undefined && isEmptyList(answer.data))
        keep(key, { etag, data: answer.data });
      return { status: answer.status, data: answer.data, link: header('link') };
    } catch (error) {
      if (error instanceof TerminalError) throw error;
      const failure = z.safeParse(RequestFailure, error);
      if (!failure.success) throw unavailable(route, error instanceof Error ? error.message : String(error), error);
      const { status, message, response } = failure.data;
      const answered = { status, header: headerOf(response?.headers ?? {}), words: message };
      meter.heed(credentialOf(as), answered);
      if (status === 304 && before !== undefined) return { status: 200, data: before.data };
      if (expect.includes(status)) return { status, data: undefined };
      if (status === 401 && !isRenewed && options.renew !== undefined) {
        await options.renew();
        return call(route, as, parameters, expect, true);
      }
      const words = `${status}: ${message}`;
      if (status >= 500 || isThrottled(answered)) throw unavailable(route, words, error);
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

  async function readRunners(scope: CiScope, limit: number, page: number) {
    const route = `GET ${runnersOf(scope)}`;
    const { data } = await call(route, scope, { per_page: limit, page });
    const { runners, total_count: total } = parse(route, Runners, data);
    return { items: runners, total };
  }

  async function listRunners(scope: CiScope): Promise<CiRunner[]> {
    const { items } = await readOverlapping(pageSize, (limit, page) => readRunners(scope, limit, page));
    return items.map(({ id, name: runnerName }) => ({ id, name: runnerName }));
  }

  async function readHooks(scope: CiScope): Promise<z.infer<typeof Hooks>> {
    const route = `GET ${scopePath(scope)}/hooks`;
    return parse(route, Hooks, (await call(route, scope, { per_page: pageSize })).data);
  }

  async function listHooks(scope: CiScope): Promise<CiWebhook[]> {
    return (await readHooks(scope)).map(({ active, events, config: { url = '' }, last_response: last }) => ({
      url,
      isActive: active,
      sendsJobs: events.includes(jobEvent) || events.includes('*'),
      ...(typeof last?.code === 'number' ? { lastStatus: last.code } : {}),
    }));
  }

  async function putHook(scope: CiScope, webhook: WantedWebhook): Promise<'made' | 'corrected'> {
    const hooks = `${scopePath(scope)}/hooks`;
    const config = { ...webhook, content_type: 'json', insecure_ssl: '0' };
    const there = (await readHooks(scope)).find((hook) => hook.config.url === webhook.url);
    if (there === undefined) {
      await call(`POST ${hooks}`, scope, { name: 'web', active: true, events: [jobEvent], config });
      return 'made';
    }
    // GitHub takes the events of a change for all of them.
    const events = there.events.includes('*') ? there.events : [...new Set([...there.events, jobEvent])];
    await call(`PATCH ${hooks}/${there.id}`, scope, { active: true, events, config });
    return 'corrected';
  }

  /** An App's webhook is made with the App, and there is none other. */
  async function putAppHook({ url, secret }: WantedWebhook): Promise<'corrected'> {
    // Octokit would take a parameter that is called `url` for the request's own.
    const data = { url, secret, content_type: 'json', insecure_ssl: '0' };
    await call('PATCH /app/hook/config', 'app', { data });
    return 'corrected';
  }

  async function readAppHook(): Promise<CiWebhook[]> {
    const { url = '' } = parse('GET hook', AppHook, (await call('GET /app/hook/config', 'app')).data);
    if (url === '') return [];
    const { events } = parse('GET app', App, (await call('GET /app', 'app')).data);
    const [last] = parse('GET deliveries', Deliveries, (await call('GET /app/hook/deliveries', 'app')).data);
    const lastStatus = last === undefined ? {} : { lastStatus: last.status_code };
    return [{ url, isActive: true, sendsJobs: events.includes(jobEvent), ...lastStatus }];
  }

  /** A registration asks nothing but to register: each costs 5 of the 900 points that GitHub allows in a minute. */
  const groupIds = createAgedCache<number>({
    load: async (key) => {
      const { scope, ...wanted } = GroupWanted.parse(JSON.parse(key));
      return groupIdOf(scope, present(wanted));
    },
    maxAgeMs: groupMaxAgeMs,
    nowEpochMs: Date.now,
  });

  /** GitHub's default group has the id 1. */
  async function groupIdOf(
    scope: CiScope,
    { group, repositories }: Pick<NewRunner, 'group' | 'repositories'>,
  ): Promise<number> {
    if (group === undefined || 'repository' in scope) return 1;
    const route = `GET ${scopePath(scope)}/actions/runner-groups`;
    const groups = await callAll(route, scope, {}, (data) => {
      const page = parse(route, Groups, data);
      return { items: page.runner_groups, total: page.total_count };
    });
    const found = groups.find((candidate) => candidate.name === group);
    if (found === undefined) {
      throw new TerminalError('CiRefused', `${name}: ${scope.organization} has no runner group ${group}`);
    }
    if (repositories !== undefined) await checkGroup(scope, found, repositories);
    return found.id;
  }

  /** @throws TerminalError CiRefused for a group that is open to repositories outside of the globs */
  async function checkGroup(
    scope: CiScope,
    { id, name: group, visibility }: z.infer<typeof Group>,
    repositories: readonly string[],
  ): Promise<void> {
    const allowed = `the profile's repositories are ${repositories.join(', ')}`;
    if (visibility !== 'selected') {
      const open = visibility === 'private' ? 'all private repositories' : 'all repositories';
      throw new TerminalError('CiRefused', `${name}: the runner group ${group} is open to ${open}, and ${allowed}`);
    }
    const route = `GET ${scopePath(scope)}/actions/runner-groups/${id}/repositories`;
    const selected = await callAll(route, scope, {}, (data) => {
      const page = parse(route, GroupRepositories, data);
      return { items: page.repositories, total: page.total_count };
    });
    const stranger = selected.find(({ full_name: text }) => !isRepositoryOf(repositories, repositoryNamed(text)));
    if (stranger === undefined) return;
    const detail = `the runner group ${group} is open to ${stranger.full_name}, too, and ${allowed}`;
    throw new TerminalError('CiRefused', `${name}: ${detail}`);
  }

  async function makeJitConfig(scope: CiScope, runner: NewRunner, groupId: number) {
    const route = `POST ${runnersOf(scope)}/generate-jitconfig`;
    const body = { name: runner.name, runner_group_id: groupId, labels: runner.labels, work_folder: '_work' };
    const { status, data } = await call(route, scope, body, [409]);
    return status === 409 ? undefined : parse(route, JitConfig, data);
  }

  async function removeIfIdle(scope: CiScope, runnerId: number): Promise<RunnerRemoval> {
    const route = `DELETE ${runnersOf(scope)}/${runnerId}`;
    const { status } = await call(route, scope, {}, [404, 422]);
    // GitHub also answers 404 for things that it hides. So a runner is gone only if davit can see its neighbours.
    if (status === 404) {
      await call(`GET ${runnersOf(scope)}`, scope, { per_page: 1 });
      return 'gone';
    }
    return status === 422 ? 'busy' : 'removed';
  }

  async function getRunner(scope: CiScope, runnerId: number): Promise<CiRunner | undefined> {
    const route = `GET ${runnersOf(scope)}/${runnerId}`;
    const { status, data } = await call(route, scope, {}, [404]);
    if (status !== 404) return parse(route, Runner, data);
    // As for a removal: a runner is gone only if davit can see its neighbours.
    await call(`GET ${runnersOf(scope)}`, scope, { per_page: 1 });
    return undefined;
  }

  async function getJob(repository: RepositoryName, jobId: number): Promise<CiJobState | undefined> {
    const route = `GET ${repositoryPath(repository)}/actions/jobs/${jobId}`;
    const { status, data } = await call(route, { repository }, {}, [404]);
    if (status !== 404) return jobStateOf(parse(route, JobState, data));
    await call(`GET ${repositoryPath(repository)}/actions/runs`, { repository }, { per_page: 1 });
    return undefined;
  }

  async function listJobsOf(repository: RepositoryName, statuses: readonly CiJobStatus[]): Promise<CiJob[]> {
    const runsRoute = `GET ${repositoryPath(repository)}/actions/runs`;
    const repositoryIds = new Map<number, number>();
    // A run in progress may have queued jobs, and a queued run may not show its jobs as queued yet.
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

  /** The repository's id is in the run alone, and stays. */
  async function jobsOfRun(repository: RepositoryName, runId: number): Promise<FoundJob[]> {
    const route = `GET ${repositoryPath(repository)}/actions/runs/${runId}`;
    const repositoryId =
      repositoryIdOfRun.get(runId) ?? parse(route, Run, (await call(route, { repository })).data).repository.id;
    repositoryIdOfRun.set(runId, repositoryId);
    if (repositoryIdOfRun.size > mostKept) repositoryIdOfRun.clear();
    const jobs = await callAll(`${route}/jobs`, { repository }, { filter: 'latest' }, (data) => {
      const page = parse(`${route}/jobs`, FoundJobs, data);
      return { items: page.jobs, total: page.total_count };
    });
    return jobs.map((job) => ({
      ...jobOf(job, 'waiting', { repository, repositoryId }),
      ...jobStateOf(job),
    }));
  }

  async function listJobs(scope: CiScope, statuses: readonly CiJobStatus[]): Promise<CiJob[] | undefined> {
    if ('organization' in scope) {
      throw new TerminalError(
        'CiRefused',
        `${name}: there is no list of the jobs of organization ${scope.organization}`,
      );
    }
    const { repository } = scope;
    try {
      return (await listJobsOf(repository, statuses)).toSorted(byId);
    } catch (error) {
      if (!isNotFound(error)) throw error;
      const { status } = await call(`GET ${repositoryPath(repository)}`, { repository }, {}, [404]);
      if (status === 404) return undefined;
      throw error;
    }
  }

  return {
    // GitHub decides in the delete itself: it refuses to remove a busy runner.
    settleMs: 0,
    usage: () => meter.usage(),
    stopAssigning: async () => undefined,
    register: async (scope: CiScope, runner: NewRunner): Promise<Registration> => {
      const { group, repositories } = runner;
      if (runner.name.length > longestRunnerName) {
        throw new TerminalError('CiRefused', `${name}: ${runner.name} is longer than ${longestRunnerName} characters`);
      }
      const groupId = await groupIds.get(JSON.stringify({ scope, group, repositories }));
      const made = await makeJitConfig(scope, runner, groupId);
      if (made === undefined) throw new TransientError('WriteConflict', `${name}: a runner ${runner.name} exists`);
      return { runner: made.runner, environment: { ACTIONS_RUNNER_INPUT_JITCONFIG: made.encoded_jit_config } };
    },
    removeIfIdle,
    getRunner,
    getJob,
    runnersNamed: async (scope: CiScope, runnerName: string): Promise<CiRunner[]> => {
      const route = `GET ${runnersOf(scope)}`;
      const { data } = await call(route, scope, { name: runnerName, per_page: pageSize });
      // An Enterprise Server of an older version ignores the filter.
      const { runners, total_count: total } = parse(route, Runners, data);
      const found = total > runners.length ? await listRunners(scope) : runners;
      return found.filter((runner) => runner.name === runnerName).map(({ id }) => ({ id, name: runnerName }));
    },
    findRunners: async (scope: CiScope, namePrefix: string): Promise<CiRunner[]> => {
      return (await listRunners(scope)).filter((runner) => runner.name.startsWith(namePrefix));
    },
    runnersOnPage: async (scope: CiScope, namePrefix: string, page: number): Promise<RunnersPage> => {
      const read = await readRunners(scope, pageSize, page);
      const runners = read.items.filter((runner) => runner.name.startsWith(namePrefix));
      return { runners: runners.map(listedRunnerOf), ...extentOf(read, page) };
    },
    listsJobsOf: 'repository',
    listJobs,
    listDeliveries: async (page) => {
      if (options.authorizeApp === undefined) return { attempts: [] };
      const route = 'GET /app/hook/deliveries';
      const { data, link } = await call(route, 'app', {
        per_page: pageSize,
        ...(page === undefined ? {} : { cursor: page }),
      });
      const next = cursorOf(link);
      const attempts = parse(route, Deliveries, data).map(attemptOf);
      return next === undefined ? { attempts } : { attempts, next };
    },
    registrationToken: async (scope) => {
      const route = `POST ${runnersOf(scope)}/registration-token`;
      return parse(route, RegistrationToken, (await call(route, scope)).data).token;
    },
    jobsOfRun,
    checkGroup: async (scope, runner) => {
      await groupIdOf(scope, runner);
    },
    listWebhooks: (scope) => (options.authorizeApp === undefined ? listHooks(scope) : readAppHook()),
    putWebhook: (scope, webhook) =>
      options.authorizeApp === undefined ? putHook(scope, webhook) : putAppHook(webhook),
    redeliver: async (deliveryId: number): Promise<void> => {
      await call(`POST /app/hook/deliveries/${deliveryId}/attempts`, 'app');
    },
    rerunFailed: async (repository: RepositoryName, runId: number, wanted: readonly FailedJob[]) => {
      const actions = `${repositoryPath(repository)}/actions`;
      const route = `GET ${actions}/runs/${runId}`;
      const run = parse(route, RunState, (await call(route, { repository })).data);
      const latest = new Set(wanted.filter(({ attempt }) => run.run_attempt <= attempt).map(({ id }) => id));
      if (latest.size === 0) return [];
      // GitHub runs no job again while its run goes on.
      if (run.status !== 'completed') return 'running';
      const jobs = await callAll(`${route}/jobs`, { repository }, { filter: 'latest' }, (data) => {
        const page = parse(`${route}/jobs`, RunJobs, data);
        return { items: page.jobs, total: page.total_count };
      });
      const failed = jobs
        .filter(({ id, conclusion }) => latest.has(id) && conclusion === 'failure')
        .map(({ id }) => id);
      const [only, ...others] = failed;
      if (only === undefined) return [];
      const rerun = others.length === 0 ? `jobs/${only}/rerun` : `runs/${runId}/rerun-failed-jobs`;
      await call(`POST ${actions}/${rerun}`, { repository });
      return failed;
    },
    setCommitStatus: async (repository: RepositoryName, status: CommitStatus): Promise<void> => {
      const { sha, state, context, description, targetUrl } = status;
      const body = { state, context, description, ...(targetUrl === undefined ? {} : { target_url: targetUrl }) };
      await call(`POST ${repositoryPath(repository)}/statuses/${sha}`, { repository }, body);
    },
  };
}

function listedRunnerOf({ id, name, busy }: z.infer<typeof ListedRunnerBody>): ListedRunner {
  return { id, name, ...present({ isBusy: busy }) };
}

function isEmptyList(data: unknown): boolean {
  return z.safeParse(z.object({ total_count: z.literal(0) }), data).success;
}

function byId(one: CiJob, other: CiJob): number {
  return one.id - other.id;
}

function isNotFound(error: unknown): boolean {
  return error instanceof TerminalError && z.safeParse(RequestFailure, error.cause).data?.status === 404;
}

function repositoryNamed(text: string): RepositoryName {
  const [owner = '', name = ''] = text.split('/');
  return { owner, name };
}

function runnersOf(scope: CiScope): string {
  return `${scopePath(scope)}/actions/runners`;
}

/** Each installation of an App has a window of its own: one for each owner. */
function credentialOf(as: CiScope | 'app'): string {
  if (as === 'app') return as;
  return 'organization' in as ? as.organization : as.repository.owner;
}

function headerOf(headers: Readonly<Record<string, unknown>>): HeaderReader {
  return (name) => {
    const value = headers[name];
    return typeof value === 'string' || typeof value === 'number' ? `${value}` : undefined;
  };
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

/** Finds the cursor of the next page in a Link header. */
function cursorOf(link = ''): string | undefined {
  const url = /<([^>]+)>;\s*rel="next"/.exec(link)?.[1];
  return (url && URL.canParse(url) && new URL(url).searchParams.get('cursor')) || undefined;
}

/** Code 0: the delivery got no answer. */
function attemptOf({
  id,
  guid,
  event,
  status_code: code,
  delivered_at: at,
}: z.infer<typeof Deliveries>[number]): DeliveryAttempt {
  return { id, guid, event, hasSucceeded: code >= 200 && code < 400, atEpochMs: Date.parse(at) };
}

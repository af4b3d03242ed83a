import { request as octokitRequest } from '@octokit/request';
import type { CiScope } from '../../core/ci/ci-scope.ts';
import { TerminalError, TransientError } from '../../core/errors/errors.ts';
import { keepNewest } from '../../core/keep-newest.ts';
import * as z from '../../core/zod.ts';
import type { CiUsage } from '../../ports/ci-system.ts';
import { checkCredential } from '../check-credential.ts';
import { createRateMeter, type HeaderReader, isThrottled } from '../rate-meter.ts';

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

/** The version of GitHub's REST API that davit speaks. */
export const githubApiVersion = '2022-11-28';

/** How many items GitHub returns at most at a time. */
export const pageSize = 100;

/** How many answers to keep, to ask GitHub only whether they have changed. */
const mostKept = 20_000;

const RequestFailure = z.object({
  status: z.int(),
  message: z.string(),
  response: z.optional(z.object({ headers: z.record(z.string(), z.unknown()) })),
});

/** Credentials of davit's: one within a scope, or the App's own. */
type Credential = CiScope | 'app';

/** An answer of GitHub's; `data` is undefined for a status that the caller expects. */
interface GithubAnswer {
  status: number;
  data: unknown;
  link?: string | undefined;
}

/** The requests to a GitHub. Each throws TransientError CiUnavailable or TerminalError CiRefused, in GitHub's words. */
export interface GithubApi {
  /** The configured name, for error messages. */
  name: string;
  /** Whether davit is an App here: only an App's hook has a list of deliveries. */
  isApp: boolean;
  /** What davit has asked, and what GitHub's rate limit still allows. */
  usage: () => CiUsage;
  /**
   * Calls one route.
   *
   * @param route `GET /repos/acme/app`
   * @param expect the statuses of failures that the caller handles
   */
  call: (
    route: string,
    as: Credential,
    parameters?: Record<string, unknown>,
    expect?: readonly number[],
  ) => Promise<GithubAnswer>;
  /** Calls one route, and reads its answer. */
  read: <Answer>(
    route: string,
    as: Credential,
    schema: z.core.$ZodType<Answer>,
    parameters?: Record<string, unknown>,
  ) => Promise<Answer>;
  /** Reads a list to its end, page by page, by its total count. */
  readAll: <Page extends { total_count: number }, Item>(
    route: string,
    scope: CiScope,
    schema: z.core.$ZodType<Page>,
    itemsOf: (page: Page) => readonly Item[],
    parameters?: Record<string, unknown>,
  ) => Promise<Item[]>;
  /** Reads an answer. */
  parse: <Answer>(route: string, schema: z.core.$ZodType<Answer>, data: unknown) => Answer;
}

/** Makes the requests to a GitHub or a GitHub Enterprise Server. */
export function createGithubApi(options: GithubOptions): GithubApi {
  const { name, timeoutMs } = options;
  const meter = createRateMeter();
  const kept = new Map<string, { etag: string; data: unknown }>();

  const send = octokitRequest.defaults({
    baseUrl: options.apiUrl,
    headers: { 'user-agent': 'davit', 'x-github-api-version': githubApiVersion },
  });

  async function call(
    route: string,
    as: Credential,
    parameters: Record<string, unknown> = {},
    expect: readonly number[] = [],
    isRenewed = false,
  ): Promise<GithubAnswer> {
    const key = JSON.stringify([route, as, parameters]);
    const before = kept.get(key);
    meter.begin(`${name}: ${route}`);
    let isAuthorized = false;
    try {
      const authorization = await (as === 'app' ? authorizeApp() : options.authorize(as));
      checkCredential(`${name}: ${route}`, authorization);
      isAuthorized = true;
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
        keepNewest(kept, key, { etag, data: answer.data }, mostKept);
      return { status: answer.status, data: answer.data, link: header('link') };
    } catch (error) {
      if (error instanceof TerminalError) throw error;
      const failure = z.safeParse(RequestFailure, error);
      if (!failure.success) throw unavailable(route, error instanceof Error ? error.message : String(error), error);
      const { status, message, response } = failure.data;
      const answered = { status, header: headerOf(response?.headers ?? {}), words: message };
      meter.heed(credentialOf(as), answered);
      if (status === 304 && before !== undefined) return { status: 200, data: before.data };
      if (isAuthorized && expect.includes(status)) return { status, data: undefined };
      if (status === 401 && !isRenewed && options.renew !== undefined) {
        await options.renew();
        return call(route, as, parameters, expect, true);
      }
      const said = isBody(response) ? '' : `: ${message}`;
      const words = `${isAuthorized ? '' : "the App's installation there: "}${status}${said}`;
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

  const parse: GithubApi['parse'] = (route, schema, data) => {
    const parsed = z.safeParse(schema, data);
    if (parsed.success) return parsed.data;
    const [issue] = parsed.error.issues;
    throw unavailable(route, `an answer of another shape: ${issue?.path.join('.')}: ${issue?.message}`);
  };

  const read: GithubApi['read'] = async (route, as, schema, parameters) =>
    parse(route, schema, (await call(route, as, parameters)).data);

  const readAll: GithubApi['readAll'] = async (route, scope, schema, itemsOf, parameters) => {
    const found: ReturnType<typeof itemsOf>[number][] = [];
    for (let number = 1; ; number += 1) {
      const page = await read(route, scope, schema, { ...parameters, per_page: pageSize, page: number });
      const items = itemsOf(page);
      found.push(...items);
      if (items.length === 0 || found.length >= page.total_count) return found;
    }
  };

  const isApp = options.authorizeApp !== undefined;
  return { name, isApp, usage: () => meter.usage(), call, read, readAll, parse };
}

/** Says whether GitHub has answered 404. */
export function isNotFound(error: unknown): boolean {
  return error instanceof TerminalError && z.safeParse(RequestFailure, error.cause).data?.status === 404;
}

/** Says whether Octokit's message is a whole body: that of any answer without JSON, such as a proxy's page. */
function isBody(response: z.infer<typeof RequestFailure>['response']): boolean {
  return response !== undefined && headerOf(response.headers)('content-type')?.includes('json') !== true;
}

function isEmptyList(data: unknown): boolean {
  return z.safeParse(z.object({ total_count: z.literal(0) }), data).success;
}

/** Each installation of an App has a window of its own: one for each owner. */
function credentialOf(as: Credential): string {
  if (as === 'app') return as;
  return 'organization' in as ? as.organization : as.repository.owner;
}

function headerOf(headers: Readonly<Record<string, unknown>>): HeaderReader {
  return (name) => {
    const value = headers[name];
    return typeof value === 'string' || typeof value === 'number' ? `${value}` : undefined;
  };
}

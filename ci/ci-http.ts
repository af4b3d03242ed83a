import { TerminalError, TransientError } from '../core/errors/errors.ts';
import { jsonIn } from '../core/json-in.ts';
import * as z from '../core/zod.ts';
import { checkCredential } from './check-credential.ts';
import type { CiAccess } from './ci-credentials.ts';
import { type HeaderReader, isThrottled, type RateMeter } from './rate-meter.ts';

/** How one CI system is reached. */
export interface CiConnection {
  /** The configured name, for error messages. */
  name: string;
  /** The API's base, without a slash at its end. */
  baseUrl: string;
  /** Headers of every request, read again for each: a token may be rotated at any moment. */
  headers: () => Promise<Record<string, string>>;
  /**
   * Called after a 401, because the credential may have been rotated. davit then makes the request once more. @default
   * none
   */
  renew?: (() => Promise<void>) | undefined;
  /** Counts the requests, and keeps to the rate limit. */
  meter: RateMeter;
  /** How long one request may take, in milliseconds. */
  timeoutMs: number;
  /** Ends a request before that. @default nothing does */
  signal?: AbortSignal;
  /** Reads the system's own words from the answer of a refused request. @default the field `message` of its JSON */
  wordsOf?: (headers: Headers, text: string) => string | undefined;
}

/** Reaches the API of a Gitea, or of a Forgejo, which has the same. */
export function apiOf({ name, url, readToken, renew, timeoutMs }: CiAccess, meter: RateMeter): CiConnection {
  const headers = async () => ({ authorization: `token ${await readToken()}` });
  return { name, baseUrl: `${url}/api/v1`, headers, renew, meter, timeoutMs };
}

/** One request to a CI system. */
export interface CiRequest {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** From the base on, with its query. */
  path: string;
  /** Sent as JSON. @default nothing is sent */
  body?: unknown;
  /** Sent as a browser sends a form, in place of `body`. */
  form?: Readonly<Record<string, string>>;
  /** Sent as it is, in place of `body`. */
  xml?: string;
  /** Statuses that are answers, not errors, beside 2xx. */
  expect?: readonly number[];
}

/** A CI system's answer. */
export interface CiAnswer {
  status: number;
  headers: Headers;
  /** The parsed JSON; undefined for an answer that is none. */
  body: unknown;
  text: string;
}

/**
 * Calls a CI system.
 *
 * @throws TransientError CiUnavailable when it did not answer in time, throttled (429, or 403 with no requests left),
 *   failed (5xx), or accepts no requests now; TerminalError CiRefused with its own words for any other unexpected status,
 *   and for a credential that no header takes
 */
export async function callCi(connection: CiConnection, request: CiRequest): Promise<CiAnswer> {
  const { status, headers, text } = await sendRenewed(connection, request);
  const answer: CiAnswer = { status, headers, body: jsonIn(text), text };
  if ((status >= 200 && status < 300) || request.expect?.includes(status)) return answer;
  throw errorOf(connection, request, answer);
}

/**
 * Makes the error of an answer that is none of the expected ones.
 *
 * @returns TransientError CiUnavailable for one that throttles, or a failure of the CI system; otherwise TerminalError
 *   CiRefused with its own words
 */
export function errorOf(
  connection: CiConnection,
  request: CiRequest,
  { status, headers, body, text }: CiAnswer,
): TransientError | TerminalError {
  const words = (connection.wordsOf ?? (() => messageOf(body)))(headers, text);
  const told = words === undefined ? '' : `: ${words.slice(0, maxWordsCharacters)}`;
  const detail = `${describe(connection, request)}: ${status}${told}`;
  return status >= 500 || isThrottled({ status, header: headerOf(headers), words: words ?? '' })
    ? new TransientError('CiUnavailable', detail)
    : new TerminalError('CiRefused', detail);
}

/**
 * Calls a CI system and parses its answer.
 *
 * @throws as `callCi`; TransientError CiUnavailable for an answer of another shape, which may be incomplete
 */
export async function askCi<Answer>(
  connection: CiConnection,
  request: CiRequest,
  schema: z.core.$ZodType<Answer>,
): Promise<Answer> {
  return parseAnswer(connection, request, schema, (await callCi(connection, request)).body);
}

/**
 * Calls a CI system, as `askCi`, for a thing that may be gone.
 *
 * @returns undefined for 404
 */
export async function askUnlessGone<Answer>(
  connection: CiConnection,
  request: CiRequest,
  schema: z.core.$ZodType<Answer>,
): Promise<Answer | undefined> {
  const { status, body } = await callCi(connection, { ...request, expect: [404] });
  return status === 404 ? undefined : parseAnswer(connection, request, schema, body);
}

/**
 * Parses an answer of `callCi`.
 *
 * @throws TransientError CiUnavailable for an answer of another shape, which may be incomplete
 */
export function parseAnswer<Answer>(
  connection: CiConnection,
  request: CiRequest,
  schema: z.core.$ZodType<Answer>,
  body: unknown,
): Answer {
  const parsed = z.safeParse(schema, body);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const where = issue === undefined ? '' : ` at ${issue.path.join('.') || 'the top'}: ${issue.message}`;
  throw new TransientError('CiUnavailable', `${describe(connection, request)}: an answer of another shape${where}`);
}

async function sendRenewed(connection: CiConnection, request: CiRequest): ReturnType<typeof send> {
  const answer = await send(connection, request);
  if (answer.status !== 401 || connection.renew === undefined) return answer;
  await connection.renew();
  return send(connection, request);
}

async function send(
  connection: CiConnection,
  request: CiRequest,
): Promise<{ status: number; headers: Headers; text: string }> {
  const { name, baseUrl, timeoutMs, signal, meter } = connection;
  meter.begin(describe(connection, request));
  const { contentType, content } = contentOf(request);
  const headers = {
    accept: 'application/json',
    ...(contentType === undefined ? {} : { 'content-type': contentType }),
    ...(await connection.headers()),
  };
  for (const value of Object.values(headers)) checkCredential(describe(connection, request), value);
  try {
    const response = await fetch(`${baseUrl}${request.path}`, {
      method: request.method,
      // The answer for a renamed repository. Its new name has events of its own.
      redirect: 'manual',
      signal: AbortSignal.any([AbortSignal.timeout(timeoutMs), ...(signal === undefined ? [] : [signal])]),
      headers,
      ...(content === undefined ? {} : { body: content }),
    });
    meter.heed(name, { status: response.status, header: headerOf(response.headers), words: '' });
    return { status: response.status, headers: response.headers, text: await response.text() };
  } catch (cause) {
    throw new TransientError('CiUnavailable', `${describe(connection, request)}: ${reasonOf(cause)}`, {}, { cause });
  }
}

function contentOf({ body, form, xml }: CiRequest): { contentType?: string; content?: string } {
  if (form !== undefined) {
    return { contentType: 'application/x-www-form-urlencoded', content: new URLSearchParams(form).toString() };
  }
  if (xml !== undefined) return { contentType: 'application/xml', content: xml };
  return body === undefined ? {} : { contentType: 'application/json', content: JSON.stringify(body) };
}

function describe({ name, baseUrl }: CiConnection, { method, path }: CiRequest): string {
  return `${name}: ${method} ${baseUrl}${path.split('?', 1)[0]}`;
}

/** `fetch` hides the reason in the cause: its own message is only "fetch failed". */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message;
}

function headerOf(headers: Headers): HeaderReader {
  return (name) => headers.get(name) ?? undefined;
}

const maxWordsCharacters = 300;

function messageOf(body: unknown): string | undefined {
  return z.safeParse(z.object({ message: z.string() }), body).data?.message;
}

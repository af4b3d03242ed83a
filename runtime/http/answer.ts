import { createHash } from 'node:crypto';
import type { Refusal } from '../../core/job/match-profile.ts';

/** The subject of an answer. It goes into the log and the metrics, never to the caller. */
export type AnswerSubject = {
  launchId?: string;
  agentName?: string | undefined;
  profile?: string | undefined;
  cluster?: string | undefined;
  traceHeader?: string | undefined;
  /** Why no profile takes a job. */
  refusal?: Refusal;
  /** Whether the request repeats an earlier one. */
  duplicate?: boolean;
};

/** An answer in API Gateway's payload format 2.0, with its subject. */
export interface HttpAnswer {
  statusCode: number;
  headers: Record<string, string>;
  body: string;
  subject?: AnswerSubject;
}

/**
 * Builds a JSON answer. No cache may keep it, because it is true only at this moment.
 *
 * @param headers beside `content-type` and `cache-control`; names in lower case
 */
export function jsonAnswer(statusCode: number, value: object, headers: Record<string, string> = {}): HttpAnswer {
  return {
    statusCode,
    headers: { 'content-type': 'application/json', 'cache-control': 'no-store', ...headers },
    body: JSON.stringify(value),
  };
}

/**
 * Builds the JSON answer of a read that callers repeat: 304 without a body when the caller has this version already. Its
 * `ETag` is weak: it leaves out `forSeconds` and `waitsForSeconds`, which grow while nothing
 * happens.
 *
 * @param ifNoneMatch the request's `if-none-match`
 * @see https://www.rfc-editor.org/rfc/rfc9110#name-conditional-requests
 */
export function revalidatedAnswer(value: object, ifNoneMatch: string | undefined): HttpAnswer {
  const etag = etagOf(value);
  const headers = { etag, 'cache-control': 'private, no-cache' };
  const isKnown = ifNoneMatch?.split(',').some((known) => known.trim() === '*' || weak(known) === etag) === true;
  return isKnown ? { statusCode: 304, headers, body: '' } : jsonAnswer(200, value, headers);
}

const growing: ReadonlySet<string> = new Set(['forSeconds', 'waitsForSeconds']);

function etagOf(value: object): string {
  const text = JSON.stringify(value, (key, field: unknown) => (growing.has(key) ? undefined : field));
  return `W/"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"`;
}

/** Proxies may take a weak tag for a strong one. */
function weak(etag: string): string {
  return etag.trim().replace(/^(W\/)?/, 'W/');
}

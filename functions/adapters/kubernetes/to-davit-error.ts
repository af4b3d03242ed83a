import { STATUS_CODES } from 'node:http';
import { ApiException } from '@kubernetes/client-node';
import * as z from 'zod';
import { DavitError, type ErrorSubject, PendingError, TerminalError, TransientError } from '../../domain/errors.ts';
import { type ApiErrorAnswer, judgeApiError } from '../../domain/judge-api-error.ts';

/** What was being done when an error came: for its message. */
export interface Call {
  /** `create pods`, `watch services`. */
  what: string;
  /** The API server's URL. */
  endpoint: string;
  about: ErrorSubject;
  /** What was done about earlier answers to the same call. */
  tried?: readonly string[];
}

const Status = z.object({ reason: z.string().optional(), message: z.string().optional() });
const NetworkError = z.object({ name: z.string(), message: z.string(), code: z.string().optional() });

/**
 * Gives an error of the Kubernetes client its family, once. A defect of ours (a TypeError that is not fetch's) passes
 * through as it is.
 */
export function toDavitError(error: unknown, call: Call): unknown {
  if (error instanceof DavitError) return error;
  if (error instanceof ApiException) return ofAnswer(answerOf(error), call, error);
  const said = `${call.what} at ${call.endpoint}`;
  const network = networkWords(error);
  if (network !== undefined) {
    return new TransientError('ClusterUnreachable', `${said}: ${network}`, call.about, { cause: error });
  }
  if (!isUnreadable(error)) return error;
  return new TransientError('ClusterFault', `${said}: the answer cannot be read as JSON`, call.about, { cause: error });
}

/** Reads the parts of an error answer that its verdict depends on. */
export function answerOf({ code, body, headers }: ApiException<unknown>): ApiErrorAnswer {
  const status = Status.safeParse(typeof body === 'string' ? parseJson(body) : body).data;
  const retryAfter = headers['retry-after'] ?? '';
  return {
    httpStatus: code,
    message: status?.message ?? STATUS_CODES[code] ?? 'no words',
    ...(status?.reason ? { reason: status.reason } : {}),
    // Seconds are all that an API server says; a proxy may say a date.
    ...(/^\d{1,9}$/.test(retryAfter) ? { retryAfterSeconds: Number(retryAfter) } : {}),
  };
}

function ofAnswer(answer: ApiErrorAnswer, call: Call, cause: Error): DavitError {
  const verdict = judgeApiError(answer);
  const wait = answer.retryAfterSeconds === undefined ? [] : [`Retry-After: ${answer.retryAfterSeconds} s`];
  const answered = `${call.what} at ${call.endpoint}: HTTP ${answer.httpStatus}: ${answer.message}`;
  const says = [answered, ...wait, ...(call.tried ?? [])].join('; ');
  switch (verdict.family) {
    case 'pending':
      return new PendingError(verdict.code, says, call.about, { cause });
    case 'transient':
      return new TransientError(verdict.code, says, call.about, { cause });
    case 'terminal':
      return new TerminalError(verdict.code, says, call.about, { cause });
  }
}

/** @returns what fetch says of a connection that failed or took too long; undefined for any other error */
function networkWords(error: unknown): string | undefined {
  if (error instanceof DOMException && error.name === 'TimeoutError') return 'no answer in time';
  if (!(error instanceof TypeError) || !['fetch failed', 'terminated'].includes(error.message)) return undefined;
  const cause = NetworkError.safeParse(error.cause).data;
  return cause === undefined ? error.message : [cause.code, cause.message].filter(Boolean).join(' ');
}

/**
 * Says whether an answer was a proxy's page, half an answer, or nested deeper than the stack reaches. The error's own
 * words are not told: they quote it.
 */
function isUnreadable(error: unknown): boolean {
  if (error instanceof SyntaxError || error instanceof RangeError) return true;
  return error instanceof Error && /^(The mediaType .* is not supported|Cannot parse content)/.test(error.message);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // a proxy's answer, not the API server's
  }
}

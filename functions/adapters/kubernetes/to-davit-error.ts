import { STATUS_CODES } from 'node:http';
import { DavitError, type ErrorSubject, PendingError, TerminalError, TransientError } from '../../domain/errors.ts';
import { type ApiErrorAnswer, judgeApiError } from '../../domain/judge-api-error.ts';
import * as z from '../../zod.ts';
import { ConnectionError } from '../http-client.ts';
import { ApiRefusal } from './api-client.ts';

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

const Status = z.object({ reason: z.optional(z.string()), message: z.optional(z.string()) });

/**
 * Gives an error of a call its family, once. A defect of ours passes through as it is.
 */
export function toDavitError(error: unknown, call: Call): unknown {
  if (error instanceof DavitError) return error;
  if (error instanceof ApiRefusal) return ofAnswer(answerOf(error), call, error);
  const said = `${call.what} at ${call.endpoint}`;
  if (error instanceof ConnectionError) {
    return new TransientError('ClusterUnreachable', `${said}: ${error.message}`, call.about, { cause: error });
  }
  // A proxy's page, or half an answer. The error's own words are not told: they quote it.
  if (!(error instanceof SyntaxError)) return error;
  return new TransientError('ClusterFault', `${said}: the answer cannot be read as JSON`, call.about, { cause: error });
}

/** Reads the parts of an error answer that its verdict depends on. */
export function answerOf({ status: httpStatus, body, headers }: ApiRefusal): ApiErrorAnswer {
  const status = Status.safeParse(parseJson(body)).data;
  const retryAfter = headers['retry-after'] ?? '';
  return {
    httpStatus,
    message: status?.message ?? STATUS_CODES[httpStatus] ?? 'no words',
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

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // a proxy's answer, not the API server's
  }
}

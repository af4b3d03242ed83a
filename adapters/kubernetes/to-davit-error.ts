import { STATUS_CODES } from 'node:http';
import { ApiException } from '@kubernetes/client-node';
import {
  DavitError,
  type ErrorSubject,
  PendingError,
  TerminalError,
  TransientError,
} from '../../core/errors/errors.ts';
import { jsonIn } from '../../core/json-in.ts';
import { type ApiErrorAnswer, judgeApiError } from '../../core/pod/judge-api-error.ts';
import * as z from '../../core/zod.ts';
import { describeConnectionError, isConnectionError, reasonOfConnectionError } from './connection-error.ts';
import { NoListError } from './list-items.ts';

/** The action that failed, for the error's message. */
export interface Call {
  /** `create pods`, `watch services`. */
  what: string;
  /** The API server's URL. */
  endpoint: string;
  subject: ErrorSubject;
  /** The remedies for earlier answers to the same call. */
  tried?: readonly string[];
}

const Status = z.object({ reason: z.optional(z.string()), message: z.optional(z.string()) });

/** Turns an error of a call into a davit error, once. A defect of davit's own passes through unchanged. */
export function toDavitError(error: unknown, call: Call): unknown {
  if (error instanceof DavitError) return error;
  if (error instanceof ApiException) return ofAnswer(answerOf(error), call, error);
  const said = `${call.what} at ${call.endpoint}`;
  if (isConnectionError(error)) {
    const detail = `${said}: ${describeConnectionError(error)}`;
    const reason = reasonOfConnectionError(error);
    return new TransientError('ClusterUnreachable', detail, call.subject, { cause: error, reason });
  }
  if (isOfAnotherShape(error)) {
    return new TransientError('ClusterFault', `${said}: the answer is JSON of another shape`, call.subject);
  }
  if (!isUnreadable(error)) return error;
  // Without a cause: a parser's words quote the answer.
  return new TransientError('ClusterFault', `${said}: the answer cannot be read as JSON`, call.subject);
}

/** The client iterates over each field that its models have as a list. It has no type for an answer with another value. */
function isOfAnotherShape(error: unknown): boolean {
  return error instanceof NoListError || (error instanceof TypeError && error.message.endsWith(' is not iterable'));
}

/** A proxy's page, half an answer, or one of another media type. The client has no type for the last. */
function isUnreadable(error: unknown): boolean {
  if (error instanceof SyntaxError) return true;
  return error instanceof Error && /^(Cannot parse content|The mediaType )/.test(error.message);
}

/** Reads the parts of an error answer that its verdict depends on. */
export function answerOf({ code: httpStatus, body, headers }: ApiException<unknown>): ApiErrorAnswer {
  // The client gives the body's text, and none for a 401. A proxy's answer is no JSON.
  const status = Status.safeParse(jsonIn(String(body))).data;
  const retryAfter = headers['retry-after'] ?? '';
  return {
    httpStatus,
    message: status?.message ?? STATUS_CODES[httpStatus] ?? 'no words',
    ...(status?.reason ? { reason: status.reason } : {}),
    // An API server sends seconds; a proxy may send a date.
    ...(/^\d{1,9}$/.test(retryAfter) ? { retryAfterSeconds: Number(retryAfter) } : {}),
  };
}

function ofAnswer(answer: ApiErrorAnswer, call: Call, cause: Error): DavitError {
  const verdict = judgeApiError(answer);
  const wait = answer.retryAfterSeconds === undefined ? [] : [`Retry-After: ${answer.retryAfterSeconds} s`];
  const answered = `${call.what} at ${call.endpoint}: HTTP ${answer.httpStatus}: ${answer.message}`;
  const detail = [answered, ...wait, ...(call.tried ?? [])].join('; ');
  switch (verdict.family) {
    case 'pending':
      return new PendingError(verdict.code, detail, call.subject, { cause });
    case 'transient':
      return new TransientError(verdict.code, detail, call.subject, { cause });
    case 'terminal':
      return new TerminalError(verdict.code, detail, call.subject, { cause });
  }
}

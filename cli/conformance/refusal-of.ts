import { ApiException } from '@kubernetes/client-node';
import { answerOf, toDavitError } from '../../adapters/kubernetes/to-davit-error.ts';
import { DavitError } from '../../core/errors/errors.ts';
import { isForbiddenUser } from '../../core/pod/judge-api-error.ts';
import type { CheckContext } from './check.ts';

/** The refusal of a call. */
export interface Refusal {
  httpStatus: number;
  /** `Status.reason`, if the server gives one. */
  reason: string | undefined;
  /** The HTTP status and the server's words. */
  words: string;
  /** The server's words alone. */
  message: string;
  /** The code of the error that davit makes of it. */
  code: string;
}

/**
 * Makes a call that the cluster is to refuse.
 *
 * @returns undefined when the cluster accepts it
 * @throws ApiException when the caller lacks the right to it; what fetch throws
 */
export async function refusalOf(
  { connection }: Pick<CheckContext, 'connection'>,
  what: string,
  call: Promise<unknown>,
): Promise<Refusal | undefined> {
  try {
    await call;
    return undefined;
  } catch (error) {
    if (!(error instanceof ApiException)) throw error;
    const answer = answerOf(error);
    if (isForbiddenUser(answer)) throw error;
    const read = toDavitError(error, { what, endpoint: connection.endpoint, subject: {} });
    return {
      httpStatus: answer.httpStatus,
      reason: answer.reason,
      words: `HTTP ${answer.httpStatus}: ${answer.message}`,
      message: answer.message,
      code: read instanceof DavitError ? read.code : 'Unexpected',
    };
  }
}

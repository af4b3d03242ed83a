import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import { TransientError } from '../domain/errors.ts';
import type { HttpAnswer } from './answer.ts';
import { Problem, problemAnswer } from './problem.ts';
import type { HttpRequest } from './request.ts';
import { requestOf } from './request.ts';

/** What the edge needs of a logger. */
export interface HttpLogger {
  info(message: string): void;
  warn(message: string, error: Error): void;
  error(message: string, error: Error): void;
}

/** An HTTP function: each request gets its answer, or throws what says why not. */
export type HttpLogic = (request: HttpRequest) => Promise<HttpAnswer>;

/** How long a caller waits before it repeats a request that a failing service had no answer to, in seconds. */
const unavailableRetrySeconds = 5;

/**
 * Makes a Lambda handler of an HTTP function. A Problem becomes its answer; a TransientError a 503 that says to repeat;
 * anything else is a defect: it is logged with its stack, and answered 500 without a word of it.
 */
export function httpHandler(
  logic: HttpLogic,
  logger: HttpLogger,
): (event: APIGatewayProxyEventV2) => Promise<APIGatewayProxyStructuredResultV2> {
  return async (event) => {
    try {
      return await logic(requestOf(event));
    } catch (error) {
      return problemAnswer(problemOf(error, event.requestContext.requestId, logger));
    }
  };
}

function problemOf(error: unknown, requestId: string, logger: HttpLogger): Problem {
  if (error instanceof Problem) {
    logger.info(error.message);
    return error;
  }
  if (error instanceof TransientError) {
    logger.warn('a service did not answer', error);
    return new Problem('unavailable', {
      detail: 'A service that davit needs did not answer. Repeat the request: repeating is safe.',
      extra: { code: error.code, requestId },
      headers: { 'retry-after': `${unavailableRetrySeconds}` },
    });
  }
  logger.error('unexpected error', error instanceof Error ? error : new Error(String(error)));
  return new Problem('unexpected', {
    detail: 'The function’s log has more under this request id.',
    extra: { requestId },
  });
}

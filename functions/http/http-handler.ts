import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2, Context } from 'aws-lambda';
import { TransientError } from '../domain/errors.ts';
import type { FunctionName } from '../manifest.ts';
import type { Metrics } from '../metrics/metrics.ts';
import type { AnswerSubject, HttpAnswer } from './answer.ts';
import { Problem, problemAnswer } from './problem.ts';
import type { HttpRequest } from './request.ts';
import { requestOf } from './request.ts';

/** What a line of the log carries beside its message. */
export type HttpLogKeys = AnswerSubject & {
  /** API Gateway's, which the caller is told when davit fails. */
  requestId: string;
  /** Lambda's. */
  functionRequestId?: string | undefined;
  status: number;
};

/** What the edge needs of a logger. */
export interface HttpLogger {
  info(message: string, keys: HttpLogKeys): void;
  warn(message: string, keys: HttpLogKeys & { error: Error }): void;
  error(message: string, keys: HttpLogKeys & { error: Error }): void;
}

/** Who answers, and where it is said how. */
export interface HttpEdge {
  name: FunctionName;
  logger: HttpLogger;
  metrics: Metrics;
}

/** An HTTP function: each request gets its answer, or throws what says why not. */
export type HttpLogic = (request: HttpRequest) => Promise<HttpAnswer>;

/** How long a caller waits before it repeats a request that a failing service had no answer to, in seconds. */
const unavailableRetrySeconds = 5;

/**
 * Makes a Lambda handler of an HTTP function. A Problem becomes its answer; a TransientError a 503 that says to repeat;
 * anything else is a defect: it is logged with its stack, and answered 500 without a word of it. Each answer is logged
 * and counted.
 */
export function httpHandler(
  logic: HttpLogic,
  edge: HttpEdge,
): (event: APIGatewayProxyEventV2, context?: Context) => Promise<APIGatewayProxyStructuredResultV2> {
  return async (event, context) => {
    const ids = { requestId: event.requestContext.requestId, functionRequestId: context?.awsRequestId };
    const { about = {}, ...answer } = await answerTo(logic, edge, event, ids);
    const { duplicate = false, ...subject } = about;
    edge.metrics.put('HttpAnswers', 1, { function: edge.name, status: `${answer.statusCode}` }, { ...subject, ...ids });
    if (duplicate) edge.metrics.put('Duplicates', 1, { function: edge.name }, { ...subject, ...ids });
    return answer;
  };
}

type Ids = Pick<HttpLogKeys, 'requestId' | 'functionRequestId'>;

async function answerTo(
  logic: HttpLogic,
  edge: HttpEdge,
  event: APIGatewayProxyEventV2,
  ids: Ids,
): Promise<HttpAnswer> {
  try {
    const answer = await logic(requestOf(event));
    edge.logger.info(`${edge.name} answered`, { ...answer.about, ...ids, status: answer.statusCode });
    return answer;
  } catch (error) {
    return problemAnswer(problemOf(error, edge, ids));
  }
}

function problemOf(error: unknown, { logger, metrics }: HttpEdge, ids: Ids): Problem {
  if (error instanceof Problem) {
    logger.info(error.message, { ...error.details.about, ...ids, status: error.status });
    return error;
  }
  if (error instanceof TransientError) {
    logger.warn('a service did not answer', { error, ...ids, status: 503 });
    metrics.put('Retries', 1, { code: error.code }, ids);
    return new Problem('unavailable', {
      detail: 'A service that davit needs did not answer. Repeat the request: repeating is safe.',
      extra: { code: error.code, requestId: ids.requestId },
      headers: { 'retry-after': `${unavailableRetrySeconds}` },
    });
  }
  const defect = error instanceof Error ? error : new Error(String(error));
  logger.error('unexpected error', { error: defect, ...ids, status: 500 });
  metrics.put('Defects', 1, {}, ids);
  return new Problem('unexpected', {
    detail: 'The function’s log has more under this request id.',
    extra: { requestId: ids.requestId },
  });
}

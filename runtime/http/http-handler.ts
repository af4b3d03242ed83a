import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2, Context } from 'aws-lambda';
import { TransientError } from '../../core/errors/errors.ts';
import type { FunctionName } from '../function-settings.ts';
import type { Metrics } from '../metrics/metrics.ts';
import type { AnswerSubject, HttpAnswer } from './answer.ts';
import { Problem, problemAnswer } from './problem.ts';
import { type HttpRequest, requestOf } from './request.ts';

/** The keys of a log line beside its message. */
export type HttpLogKeys = AnswerSubject & {
  /** API Gateway's request id. davit gives it to the caller when it fails. */
  requestId: string;
  /** Lambda's request id. */
  functionRequestId?: string | undefined;
  status: number;
};

/** The part of a logger that an HTTP function needs. */
export interface HttpLogger {
  info(message: string, keys: HttpLogKeys): void;
  warn(message: string, keys: HttpLogKeys & { error: Error }): void;
  error(message: string, keys: HttpLogKeys & { error: Error }): void;
}

/** The function's name, and where it logs and counts its answers. */
export interface HttpEdge {
  name: FunctionName;
  logger: HttpLogger;
  metrics: Metrics;
}

/** An HTTP function: returns the answer of a request, or throws a Problem. */
export type HttpLogic = (request: HttpRequest) => Promise<HttpAnswer>;

/** `Retry-After` of a 503 because of a failing service, in seconds. */
const unavailableRetrySeconds = 5;

/**
 * Makes the Lambda handler of an HTTP function. A Problem becomes its answer. A TransientError becomes a 503 with
 * `Retry-After`. Any other error is a defect: the log gets its stack, and the caller a 500 without details. Logs and
 * counts each answer.
 */
export function httpHandler(
  logic: HttpLogic,
  edge: HttpEdge,
): (event: APIGatewayProxyEventV2, context?: Context) => Promise<APIGatewayProxyStructuredResultV2> {
  return async (event, context) => {
    const ids = { requestId: event.requestContext.requestId, functionRequestId: context?.awsRequestId };
    const { subject = {}, ...answer } = await answerTo(logic, edge, event, ids);
    const { duplicate = false, refusal, ...properties } = subject;
    edge.metrics.put(
      'HttpAnswers',
      1,
      { function: edge.name, status: `${answer.statusCode}` },
      { ...properties, ...ids },
    );
    if (refusal !== undefined) edge.metrics.put('JobsRefused', 1, { refusal }, ids);
    if (duplicate) edge.metrics.put('Duplicates', 1, { function: edge.name }, { ...properties, ...ids });
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
    edge.logger.info(`${edge.name} answered`, { ...answer.subject, ...ids, status: answer.statusCode });
    return answer;
  } catch (error) {
    return problemAnswer(problemOf(error, edge, ids));
  }
}

function problemOf(error: unknown, { logger, metrics }: HttpEdge, ids: Ids): Problem {
  if (error instanceof Problem) {
    logger.info(error.message, { ...error.details.subject, ...ids, status: error.status });
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
    detail: "The function's log has more under this request id.",
    extra: { requestId: ids.requestId },
  });
}

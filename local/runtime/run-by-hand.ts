import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { TerminalError } from '../../core/errors/errors.ts';
import { jsonAnswer } from '../../runtime/http/answer.ts';
import { Problem, problemAnswer } from '../../runtime/http/problem.ts';
import { decodeText, parseJson } from '../../runtime/http/read-json.ts';
import { requestOf } from '../../runtime/http/request.ts';
import type { JsonValue } from '../json-value.ts';

/**
 * Runs a scheduled function for a caller of the API. The body is the function's input. On AWS, its callers invoke the
 * function itself.
 *
 * @param event API Gateway's, of the request
 * @param run throws TerminalError InputInvalid when the input is none of the function's
 * @returns the answer: what the function returned, or what is wrong with the body
 */
export async function runByHand(event: unknown, run: (input: unknown) => Promise<JsonValue>): Promise<JsonValue> {
  const { statusCode, headers, body } = await answerOf(event, run);
  return { statusCode, headers, body };
}

async function answerOf(event: unknown, run: (input: unknown) => Promise<JsonValue>) {
  try {
    const { body } = requestOf(event as APIGatewayProxyEventV2);
    return jsonAnswer(200, Object(await run(body.length === 0 ? {} : parseJson(decodeText(body)))));
  } catch (error) {
    if (error instanceof Problem) return problemAnswer(error);
    if (!(error instanceof TerminalError) || error.code !== 'InputInvalid') throw error;
    return problemAnswer(new Problem('request-invalid', { detail: error.message }));
  }
}

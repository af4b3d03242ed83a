import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import * as z from 'zod';
import { type LoopbackServer, startLoopbackServer } from '../../../local/loopback-server.ts';
import { RequestBodyTooLargeError, readRequestBody } from '../../../local/request-body.ts';
import { AwsServiceError } from './aws-service-error.ts';
import { checkSignature, defaultSecretAccessKey } from './request-signature.ts';

/** One operation of a service: takes the request's JSON, returns the answer's JSON. */
export type AwsOperation = (input: unknown) => unknown;

/** A service that speaks "AWS JSON by X-Amz-Target". */
export interface AwsJsonServerOptions {
  /** The part before the dot in X-Amz-Target, e.g. `AWSStepFunctions`. */
  targetPrefix: string;
  jsonVersion: '1.0' | '1.1';
  operations: Readonly<Record<string, AwsOperation>>;
  /** The secret access key that must sign every request. @default 'local', for tests */
  secretAccessKey?: string | undefined;
  /** Says whether the server throttles a call, as AWS may. @default it throttles none */
  isThrottled?: ((operation: string) => boolean) | undefined;
}

const requestLimitBytes = 8 * 1024 * 1024;

/**
 * Makes an operation from a schema for the request and a function that takes the parsed request.
 *
 * @throws AwsServiceError ValidationException, naming every wrong field, when the request does not fit.
 */
export function awsOperation<Schema extends z.ZodType>(
  schema: Schema,
  run: (input: z.output<Schema>) => unknown,
): AwsOperation {
  return (input) => {
    const parsed = schema.safeParse(input);
    if (!parsed.success) throw new AwsServiceError('ValidationException', z.prettifyError(parsed.error));
    return run(parsed.data);
  };
}

/**
 * Serves a service's operations on the loopback interface. Every user of this machine can connect, so callers must sign
 * with the secret access key.
 *
 * @see https://smithy.io/2.0/aws/protocols/aws-json-1_0-protocol.html
 */
export function startAwsJsonServer(options: AwsJsonServerOptions): Promise<LoopbackServer> {
  return startLoopbackServer((request, response) => {
    answerRequest(options, request, response).catch((error: unknown) => {
      console.error(error);
      response.destroy();
    });
  });
}

async function answerRequest(options: AwsJsonServerOptions, request: IncomingMessage, response: ServerResponse) {
  response.setHeader('x-amzn-requestid', randomUUID());
  response.setHeader('content-type', `application/x-amz-json-${options.jsonVersion}`);
  try {
    const body = await readRequestBody(request, requestLimitBytes);
    await checkSignature(request, body, options.secretAccessKey ?? defaultSecretAccessKey);
    const output = await operationOf(options, request)(parseJson(body));
    response.end(JSON.stringify(output ?? {}));
  } catch (error) {
    // The caller has hung up in the middle of its request.
    if (!request.complete) return void response.destroy();
    const serviceError = asServiceError(error);
    response.statusCode = serviceError.statusCode;
    response.setHeader('x-amzn-errortype', serviceError.name);
    response.end(JSON.stringify({ __type: serviceError.name, message: serviceError.message, ...serviceError.fields }));
  }
}

function operationOf(options: AwsJsonServerOptions, request: IncomingMessage): AwsOperation {
  const target = String(request.headers['x-amz-target'] ?? '');
  const [prefix, operationName = ''] = target.split('.');
  const operation = Object.hasOwn(options.operations, operationName) ? options.operations[operationName] : undefined;
  if (request.method !== 'POST' || prefix !== options.targetPrefix || !operation) {
    throw new AwsServiceError('UnknownOperationException', `The operation ${target || '(none)'} is not served here.`);
  }
  if (options.isThrottled?.(operationName)) throw new AwsServiceError('ThrottlingException', 'Rate exceeded');
  return operation;
}

function parseJson(body: Buffer): unknown {
  if (body.length === 0) return {};
  try {
    return JSON.parse(body.toString());
  } catch (error) {
    throw new AwsServiceError('SerializationException', error instanceof Error ? error.message : String(error));
  }
}

function asServiceError(error: unknown): AwsServiceError {
  if (error instanceof AwsServiceError) return error;
  if (error instanceof RequestBodyTooLargeError) {
    return new AwsServiceError('RequestEntityTooLargeException', error.message, 413);
  }
  console.error(error);
  return new AwsServiceError('InternalFailure', 'The local service failed; its log says why.', 500);
}

import type { JsonValue } from '../json-value.ts';

/** How a function failed, as Lambda's runtime for Node.js reports it. */
export interface FunctionErrorPayload {
  [key: string]: JsonValue;
  errorType: string;
  errorMessage: string;
  trace: string[];
}

/** How an invocation ended, as Lambda's Invoke API would say it. */
export type InvocationResult =
  | { requestId: string; payload: JsonValue; functionError?: undefined }
  | { requestId: string; payload: FunctionErrorPayload; functionError: 'Unhandled' };

/** Formats what a function has thrown. */
export function errorPayload(thrown: unknown): FunctionErrorPayload {
  if (!(thrown instanceof Error)) return { errorType: typeof thrown, errorMessage: String(thrown), trace: [] };
  return { errorType: thrown.name, errorMessage: thrown.message, trace: (thrown.stack ?? '').split('\n') };
}

/** The error of a function that has no turn now. Step Functions repeats the step, and the gateway answers 503. */
export class TooManyRequests extends Error {
  override readonly name = 'Lambda.TooManyRequestsException';
  /** As Lambda answers. */
  readonly statusCode = 429;

  constructor() {
    super('Rate Exceeded.');
  }
}

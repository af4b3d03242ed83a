import type { IncomingHttpHeaders } from 'node:http';
import * as z from '../../zod.ts';
import { AwsError, unreadable } from './aws-error.ts';

/** An answer of AWS's, whole. */
export interface AwsAnswer {
  status: number;
  headers: IncomingHttpHeaders;
  body: string;
}

const ErrorBody = z.object({
  __type: z.optional(z.string()),
  code: z.optional(z.string()),
  message: z.optional(z.string()),
  Message: z.optional(z.string()),
});

/**
 * Reads an answer.
 *
 * @returns the body, parsed; undefined when there is none
 * @throws AwsError for an answer that is no success, or no JSON
 */
export function readAnswer({ status, headers, body }: AwsAnswer): unknown {
  const about = { status, requestId: one(headers['x-amzn-requestid'] ?? headers['x-amz-request-id']) };
  const answered = parseJson(body);
  if (status >= 200 && status < 300) {
    if (answered !== notJson) return answered;
    throw new AwsError(unreadable, `HTTP ${status}: the answer cannot be read as JSON`, about);
  }
  const { __type, code, message, Message } = ErrorBody.safeParse(answered).data ?? {};
  const type = one(headers['x-amzn-errortype']) ?? code ?? __type ?? 'UnknownError';
  throw new AwsError(bareName(type), message ?? Message ?? `HTTP ${status}`, about);
}

/** `com.amazonaws.dynamodb.v20120810#Throttling` and `Throttling:http://…` are `Throttling`. */
function bareName(type: string): string {
  return type.replace(/[:,].*$/, '').replace(/^.*#/, '');
}

function one(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header[0] : header;
}

const notJson = Symbol('no JSON');

function parseJson(text: string): unknown {
  try {
    return text === '' ? undefined : JSON.parse(text);
  } catch {
    return notJson; // its words would quote the answer, which may be a secret
  }
}

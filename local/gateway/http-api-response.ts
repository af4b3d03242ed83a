import * as z from 'zod';
import type { JsonValue } from '../json-value.ts';

/** The response to the client. */
export interface HttpApiResponse {
  statusCode: number;
  headers: Record<string, string>;
  cookies: string[];
  body: Buffer;
}

const HeaderValue = z.union([z.string(), z.number(), z.boolean()]).transform(String);

const FormattedResult = z.object({
  statusCode: z.coerce.number().int().min(200).max(599),
  headers: z.record(z.string(), HeaderValue).nullish(),
  cookies: z.array(z.string()).nullish(),
  body: z.string().nullish(),
  isBase64Encoded: z.boolean().nullish(),
});

/**
 * Reads a function's result in payload format 2.0. An object with a `statusCode` is the complete response. Any other
 * value is the JSON body of a 200, and a plain string is the body itself.
 *
 * @returns undefined for a result to which API Gateway answers 500.
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-develop-integrations-lambda.html
 */
export function httpApiResponse(result: JsonValue): HttpApiResponse | undefined {
  const isFormatted = result instanceof Object && !Array.isArray(result) && 'statusCode' in result;
  if (!isFormatted) {
    const text = typeof result === 'string' ? result : JSON.stringify(result);
    return jsonResponse(200, text);
  }
  const parsed = FormattedResult.safeParse(result);
  if (!parsed.success) return undefined;
  const { statusCode, headers, cookies, body, isBase64Encoded } = parsed.data;
  const lowerCased = Object.entries(headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]);
  return {
    statusCode,
    headers: { 'content-type': 'text/plain;charset=utf-8', ...Object.fromEntries(lowerCased) },
    cookies: cookies ?? [],
    body: Buffer.from(body ?? '', isBase64Encoded ? 'base64' : 'utf8'),
  };
}

/** Makes an answer of the gateway itself. */
export function gatewayMessage(statusCode: number, message: string): HttpApiResponse {
  return jsonResponse(statusCode, JSON.stringify({ message }));
}

function jsonResponse(statusCode: number, text: string): HttpApiResponse {
  return { statusCode, headers: { 'content-type': 'application/json' }, cookies: [], body: Buffer.from(text) };
}

import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { Problem } from './problem.ts';

/** A request as the logic sees it. */
export interface HttpRequest {
  method: string;
  /** The path's parameters, percent-decoded. */
  parameters: Record<string, string>;
  /** The query's parameters; values of a repeated parameter are joined with commas. */
  query: Record<string, string>;
  /** By name in lower case; values of a repeated header are joined with commas. */
  headers: Record<string, string>;
  /** The raw bytes, at most `maxBodyBytes`. */
  body: Buffer;
}

/** The longest accepted body, in bytes: 1 MiB. GitHub's largest `workflow_job` is a few tens of KiB. */
export const maxBodyBytes = 1024 * 1024;

/**
 * Reads a request from API Gateway's event.
 *
 * @throws Problem `body-too-large`
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-develop-integrations-lambda.html
 */
export function requestOf(event: APIGatewayProxyEventV2): HttpRequest {
  const body = Buffer.from(event.body ?? '', event.isBase64Encoded ? 'base64' : 'utf8');
  if (body.length > maxBodyBytes) {
    throw new Problem('body-too-large', {
      detail: `The body has ${body.length} bytes; at most ${maxBodyBytes} are read.`,
    });
  }
  return {
    method: event.requestContext.http.method,
    parameters: present(event.pathParameters),
    query: present(event.queryStringParameters),
    headers: present(event.headers),
    body,
  };
}

function present(values: Record<string, string | undefined> | undefined): Record<string, string> {
  const entries = Object.entries(values ?? {}).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]));
  return Object.fromEntries(entries);
}

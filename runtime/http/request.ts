import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import * as z from '../../core/zod.ts';
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
  /** The ARN of the IAM identity that API Gateway has authenticated; absent on routes without IAM. */
  caller?: string;
  /** When API Gateway received it, by its clock: a function may begin much later, and requests overtake each other there. */
  receivedAtEpochMs: number;
  /** The raw bytes, at most `maxBodyBytes`. */
  body: Buffer;
}

/** The longest accepted body, in bytes: 1 MiB. GitHub's largest `workflow_job` is a few tens of KiB. */
export const maxBodyBytes = 1024 * 1024;

/** @see https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-develop-integrations-lambda.html */
const IamContext = z.object({
  authorizer: z.object({ iam: z.object({ userArn: z.string().check(z.minLength(1)) }) }),
});

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
  const caller = IamContext.safeParse(event.requestContext).data?.authorizer.iam.userArn;
  return {
    ...(caller === undefined ? {} : { caller }),
    method: event.requestContext.http.method,
    parameters: present(event.pathParameters),
    query: present(event.queryStringParameters),
    headers: present(event.headers),
    receivedAtEpochMs: event.requestContext.timeEpoch,
    body,
  };
}

function present(values: Record<string, string | undefined> | undefined): Record<string, string> {
  const entries = Object.entries(values ?? {}).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]));
  return Object.fromEntries(entries);
}

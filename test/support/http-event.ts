import type { APIGatewayProxyEventV2, APIGatewayProxyEventV2WithIAMAuthorizer } from 'aws-lambda';

/** The parts of a request that a test gives; API Gateway's defaults fill the rest. */
export interface EventOptions {
  method?: string;
  path?: string;
  parameters?: Record<string, string>;
  query?: Record<string, string>;
  headers?: Record<string, string>;
  body?: string | Buffer;
  /** The ARN of the caller that IAM has authenticated. @default no caller is authenticated */
  caller?: string;
}

/** Makes an event as an HTTP API sends it (payload format 2.0). A Buffer becomes base64. */
export function httpEvent(
  options: EventOptions = {},
): APIGatewayProxyEventV2 | APIGatewayProxyEventV2WithIAMAuthorizer {
  const { method = 'POST', path = '/', parameters, query, headers = {}, body, caller } = options;
  return {
    version: '2.0',
    routeKey: `${method} ${path}`,
    rawPath: path,
    rawQueryString: new URLSearchParams(query).toString(),
    headers,
    ...(query && { queryStringParameters: query }),
    ...(parameters && { pathParameters: parameters }),
    requestContext: {
      accountId: '123456789012',
      apiId: 'api',
      ...(caller !== undefined && { authorizer: authorizerOf(caller) }),
      domainName: 'api.example.com',
      domainPrefix: 'api',
      http: { method, path, protocol: 'HTTP/1.1', sourceIp: '192.0.2.1', userAgent: 'test' },
      requestId: 'request-1',
      routeKey: `${method} ${path}`,
      stage: '$default',
      time: '01/Jun/2026:10:00:00 +0000',
      timeEpoch: 1_780_308_000_000,
    },
    ...(body !== undefined && { body: typeof body === 'string' ? body : body.toString('base64') }),
    isBase64Encoded: typeof body !== 'string',
  };
}

function authorizerOf(userArn: string) {
  const accountId = '123456789012';
  const iam = { accessKey: 'AKIA', accountId, callerId: 'AIDA', cognitoIdentity: null, principalOrgId: 'o-1' };
  return { iam: { ...iam, userArn, userId: 'AIDA' } };
}

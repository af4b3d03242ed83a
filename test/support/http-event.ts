import type { APIGatewayProxyEventV2 } from 'aws-lambda';

/** What a test says of a request; the rest is as API Gateway would have it. */
export interface EventOptions {
  method?: string;
  path?: string;
  parameters?: Record<string, string>;
  query?: Record<string, string>;
  headers?: Record<string, string>;
  body?: string | Buffer;
}

/** Makes an event as an HTTP API sends it (payload format 2.0); a Buffer goes as base64. */
export function httpEvent(options: EventOptions = {}): APIGatewayProxyEventV2 {
  const { method = 'POST', path = '/', parameters, query, headers = {}, body } = options;
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

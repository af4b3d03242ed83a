import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { listen } from '../../../support/listen.ts';
import { isSignedBy, type SigningIdentity } from './deploy/verify-signature.ts';

/** A gateway in front of a davit that accepts only signed requests, like API Gateway's IAM authorizer. */
export interface SigningGateway extends AsyncDisposable {
  url: string;
  /** The number of refused requests. */
  refused: number;
}

/**
 * Starts the gateway.
 *
 * @param davitUrl the target of signed requests
 * @param token the bearer token that davit requires there
 */
export async function startSigningGateway(
  identity: SigningIdentity,
  davitUrl: string,
  token: string,
): Promise<SigningGateway> {
  const server = createServer((request, response) => void answer(request, response));
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url = '', headers } = request;
    const body = await buffer(request);
    if (!isSignedBy({ method, url, headers, body }, identity)) {
      gateway.refused += 1;
      response.writeHead(403, { 'content-type': 'application/json' }).end('{"message":"Forbidden"}');
      return;
    }
    const kept = Object.entries(headers).flatMap(([name, value]) =>
      typeof value === 'string' && ['content-type', 'idempotency-key'].includes(name) ? [[name, value] as const] : [],
    );
    const answered = await fetch(`${davitUrl}${url}`, {
      method,
      headers: { ...Object.fromEntries(kept), authorization: `Bearer ${token}` },
      ...(body.length === 0 ? {} : { body: new Uint8Array(body) }),
    });
    const type = answered.headers.get('content-type') ?? 'application/json';
    response.writeHead(answered.status, { 'content-type': type }).end(Buffer.from(await answered.arrayBuffer()));
  }
  const { url, stop } = await listen(server);
  const gateway: SigningGateway = { url, refused: 0, [Symbol.asyncDispose]: stop };
  return gateway;
}

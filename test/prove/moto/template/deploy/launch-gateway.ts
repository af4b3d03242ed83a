import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { listen } from '../../../../support/listen.ts';
import { isSignedBy, type SigningIdentity } from './verify-signature.ts';

/** A gateway in front of /launches that accepts only signed requests. */
export interface LaunchGateway extends AsyncDisposable {
  port: number;
  /** The launches by their ids, with their statuses. */
  launches: Map<string, string>;
  /** The number of refused requests. */
  refused: number;
}

/** Starts the gateway. A deleted launch is `cleaning` until a client lists it once more. */
export async function startLaunchGateway(identity: SigningIdentity): Promise<LaunchGateway> {
  const launches = new Map([
    ['github-1-2-1', 'connected'],
    ['github-1-3-1', 'launching'],
    ['github-1-4-1', 'failed'],
  ]);
  const server = createServer((request, response) => void answer(request, response));
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url = '', headers } = request;
    const isSigned = isSignedBy({ method, url, headers, body: await buffer(request) }, identity);
    if (!isSigned) gateway.refused += 1;
    const body = isSigned ? handle(launches, method, new URL(url, 'http://host')) : { message: 'Forbidden' };
    response.writeHead(isSigned ? 200 : 403, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  }
  const { port, stop } = await listen(server);
  const gateway: LaunchGateway = { port, launches, refused: 0, [Symbol.asyncDispose]: stop };
  return gateway;
}

function handle(launches: Map<string, string>, method: string, { pathname, searchParams }: URL): object {
  if (method === 'POST') {
    launches.set('api-try-1-1', 'launching');
    return { launchId: 'api-try-1-1' };
  }
  if (method === 'DELETE') {
    launches.set(pathname.replace('/launches/', ''), 'cleaning');
    return {};
  }
  const wanted = searchParams.get('status')?.split(',');
  const found = [...launches].filter(([, status]) => wanted === undefined || wanted.includes(status));
  for (const [launchId, status] of found) if (status === 'cleaning') launches.set(launchId, 'terminated');
  return { launches: found.map(([launchId, status]) => ({ launchId, status })) };
}

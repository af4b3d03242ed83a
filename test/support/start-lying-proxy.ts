import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { Agent, request as sendRequest } from 'node:https';
import { text } from 'node:stream/consumers';
import { KubeConfig } from '@kubernetes/client-node';
import { kubeconfigOf } from './fake-api-server.ts';
import { listen } from './listen.ts';

type Body = { [field: string]: unknown };

/** A request on its way to the API server. */
export interface PassingRequest {
  method: string;
  path: string;
  query: URLSearchParams;
  body: Body;
}

/** An answer on its way back. */
export interface PassingAnswer {
  status: number;
  body: Body;
}

/** How a proxy falsifies what passes. Each function changes what it gets; a watch's answer passes unchanged. */
export interface Lie {
  ofRequest?: (request: PassingRequest) => void;
  ofAnswer?: (answer: PassingAnswer, request: PassingRequest) => void;
}

/** An API server that falsifies what another one takes and says. */
export interface LyingProxy extends AsyncDisposable {
  /** A kubeconfig for the proxy, with the credential of the other server. */
  kubeconfig: string;
}

/** Starts a proxy in front of the API server of a kubeconfig. */
export async function startLyingProxy(kubeconfig: string, lie: Lie): Promise<LyingProxy> {
  const config = new KubeConfig();
  config.loadFromString(kubeconfig);
  const { server: target = '', caData = '' } = config.getCurrentCluster() ?? {};
  const agent = new Agent({ keepAlive: true, ca: Buffer.from(caData, 'base64') });

  async function forward(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url = '/', headers } = incoming;
    const { pathname: path, searchParams: query } = new URL(url, target);
    const request = { method, path, query, body: parsed(await text(incoming)) };
    lie.ofRequest?.(request);
    const sent = JSON.stringify(request.body);
    const onwards = sendRequest(new URL(`${request.path}?${query.toString()}`, target), {
      method: request.method,
      agent,
      headers: {
        authorization: headers.authorization,
        'content-type': 'application/json',
        ...(request.method === 'GET' ? {} : { 'content-length': Buffer.byteLength(sent) }),
      },
    });
    onwards.end(request.method === 'GET' ? undefined : sent);
    response.once('close', () => onwards.destroy());
    const [answer]: IncomingMessage[] = await once(onwards, 'response');
    if (answer === undefined) throw new Error('expected an answer');
    const { statusCode: status = 500, headers: answered } = answer;
    if (query.has('watch')) {
      response.writeHead(status, { 'content-type': answered['content-type'] });
      response.flushHeaders();
      answer.pipe(response);
      return;
    }
    const passing = { status, body: parsed(await text(answer)) };
    lie.ofAnswer?.(passing, request);
    response.writeHead(passing.status, { 'content-type': 'application/json' }).end(JSON.stringify(passing.body));
  }

  // A client that goes, or a server that stops, ends a forwarding in its middle.
  const server = createServer((request, response) => void forward(request, response).catch(() => response.destroy()));
  const { url, stop } = await listen(server);
  return {
    kubeconfig: kubeconfigOf(url, config.getCurrentUser()?.token),
    [Symbol.asyncDispose]: async () => {
      await stop();
      agent.destroy();
    },
  };
}

function parsed(body: string): Body {
  return body === '' ? {} : (JSON.parse(body) as Body);
}

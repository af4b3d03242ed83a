import type { IncomingMessage } from 'node:http';
import { Agent, request } from 'node:https';
import { text } from 'node:stream/consumers';
import { KubeConfig } from '@kubernetes/client-node';
import * as z from 'zod';

/** An API server's answer. */
export interface ApiAnswer {
  status: number;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The body as received. */
  text: string;
  /** The parsed object; empty when the body is not one object, for example a log. */
  body: ApiObject;
}

/** Any JSON answer of a Kubernetes API server. */
export type ApiObject = { [field: string]: unknown };

/** One HTTP request, without a client library in between. */
export interface ApiRequest {
  method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  body?: object | string;
  contentType?: string;
  /** In place of the client's own. */
  headers?: Record<string, string>;
  /** Ends the read after this time and returns the answer so far: a watch never ends by itself. */
  forMs?: number;
}

/** Sends requests to an API server as curl does. */
export interface ApiClient extends Disposable {
  send(path: string, options?: ApiRequest): Promise<ApiAnswer>;
}

const ObjectText = z.record(z.string(), z.unknown());

/** Opens a connection to the current context of a kubeconfig. */
export function openApi(kubeconfig: string): ApiClient {
  const kubeConfig = new KubeConfig();
  kubeConfig.loadFromString(kubeconfig);
  const cluster = kubeConfig.getCurrentCluster();
  if (cluster === null) throw new Error('the kubeconfig has no current context');
  const token = kubeConfig.getCurrentUser()?.token ?? '';
  const agent = new Agent({ keepAlive: true, ca: Buffer.from(cluster.caData ?? '', 'base64').toString() });
  return {
    send: async (path, { method = 'GET', body, contentType = 'application/json', headers: given, forMs } = {}) => {
      const { promise: response, resolve, reject } = Promise.withResolvers<IncomingMessage>();
      const payload = Buffer.from(typeof body === 'object' ? JSON.stringify(body) : (body ?? ''));
      // Node sends no Content-Length for a DELETE: the server would read its body as the next request.
      const described = { 'content-type': contentType, 'content-length': payload.length };
      const headers = { authorization: `Bearer ${token}`, ...(body === undefined ? {} : described), ...given };
      const sent = request(new URL(path, cluster.server), { method, agent, headers });
      sent.once('response', resolve).on('error', reject);
      sent.end(payload);
      const incoming = await response;
      const content = forMs === undefined ? await text(incoming) : await receivedWithin(incoming, forMs);
      const { statusCode: status = 0, headers: received } = incoming;
      return { status, headers: received, text: content, body: parseObject(content) };
    },
    [Symbol.dispose]: () => agent.destroy(),
  };
}

async function receivedWithin(incoming: IncomingMessage, forMs: number): Promise<string> {
  const chunks: Buffer[] = [];
  incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
  await new Promise<void>((resolve) => {
    const timer = setTimeout(() => incoming.destroy(), forMs);
    incoming.once('close', () => {
      clearTimeout(timer);
      resolve();
    });
  });
  return Buffer.concat(chunks).toString();
}

function parseObject(received: string): ApiObject {
  try {
    return ObjectText.parse(JSON.parse(received));
  } catch {
    return {}; // not one JSON object: a log, or the events of a watch
  }
}

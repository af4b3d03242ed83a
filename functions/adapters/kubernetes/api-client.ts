import type { IncomingHttpHeaders } from 'node:http';
import { text } from 'node:stream/consumers';
import { createHttpClient } from '../http-client.ts';
import type { ClusterAccess } from './cluster-access.ts';

/** One call of the Kubernetes API. */
export interface ApiRequest {
  method: 'GET' | 'POST' | 'DELETE';
  /** With the names in it encoded. */
  path: string;
  query?: Readonly<Record<string, string>>;
  body?: object;
}

/** An answer that is no success. */
export class ApiRefusal extends Error {
  readonly status: number;
  readonly body: string;
  readonly headers: IncomingHttpHeaders;

  constructor(status: number, body: string, headers: IncomingHttpHeaders = {}) {
    super(`HTTP ${status}`);
    this.status = status;
    this.body = body;
    this.headers = headers;
  }
}

/** Speaks HTTP with one API server. Both methods throw ApiRefusal, ConnectionError, and what `authorization` throws. */
export interface ApiClient {
  /** Makes a call. @returns the answer's body */
  call: (request: ApiRequest, signal: AbortSignal) => Promise<string>;
  /** Makes a call whose answer comes bit by bit. Who stops iterating closes the connection. */
  stream: (request: ApiRequest, signal: AbortSignal) => Promise<AsyncIterable<Uint8Array>>;
}

/** Makes a client over connections that are kept and shared by all its calls. Nothing is sent yet. */
export function createApiClient({ endpoint, tls, authorization }: ClusterAccess): ApiClient {
  const http = createHttpClient({ protocol: endpoint.startsWith('http:') ? 'http:' : 'https:', tls });

  async function stream({ method, path, query = {}, body }: ApiRequest, signal: AbortSignal) {
    const search = new URLSearchParams(query).toString();
    const payload = body === undefined ? undefined : JSON.stringify(body);
    const authorized = await authorization();
    const headers = {
      accept: 'application/json',
      'user-agent': 'davit',
      ...(authorized === undefined ? {} : { authorization: authorized }),
      ...(payload === undefined
        ? {}
        : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(payload) }),
    };
    const url = `${endpoint}${path}${search === '' ? '' : `?${search}`}`;
    const answer = await http.send({ method, url, headers, body: payload }, signal);
    if (answer.status >= 200 && answer.status < 300) return answer.chunks;
    throw new ApiRefusal(answer.status, await text(answer.chunks), answer.headers);
  }

  return { call: async (asked, signal) => await text(await stream(asked, signal)), stream };
}

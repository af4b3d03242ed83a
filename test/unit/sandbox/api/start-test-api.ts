import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { text as readText } from 'node:stream/consumers';
import { KubeConfig } from '@kubernetes/client-node';
import { type ApiServerOptions, startApiServer } from '../../../../sandbox/api/api-server.ts';
import { isToken } from '../../../../sandbox/api/authentication.ts';
import { Faults } from '../../../../sandbox/faults.ts';
import { kubeconfigText } from '../../../../sandbox/kubeconfig.ts';
import { startGarbageCollector } from '../../../../sandbox/store/garbage-collector.ts';
import { MemoryStore } from '../../../../sandbox/store/memory-store.ts';

/** One raw request; it carries the token unless `headers` has another one. */
export interface RawRequest {
  method?: string;
  path: string;
  headers?: Record<string, string>;
  body?: unknown;
}

/** The answer, with `body` parsed if it is JSON. */
export interface RawAnswer {
  code: number | undefined;
  headers: NodeJS.Dict<string | string[]>;
  body: unknown;
}

/** An API server with its own store, without a node or controllers. */
export interface TestApi extends AsyncDisposable {
  store: MemoryStore;
  faults: Faults;
  kubeConfig: KubeConfig;
  url: string;
  /** Errors other than refusals. */
  errors: unknown[];
  send(request: RawRequest): Promise<RawAnswer>;
}

const TOKEN = 'test-token';

const sendTo =
  (url: string, ca: string) =>
  async ({ method = 'GET', path, headers = {}, body = '' }: RawRequest): Promise<RawAnswer> => {
    const content = typeof body === 'string' ? body : JSON.stringify(body);
    const outgoing = request(new URL(path, url), {
      ca,
      method,
      agent: false,
      headers: {
        authorization: `Bearer ${TOKEN}`,
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(content),
        ...headers,
      },
    });
    outgoing.end(content);
    const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
    const text = await readText(response);
    return {
      code: response.statusCode,
      headers: response.headers,
      body: response.headers['content-type'] === 'application/json' ? JSON.parse(text) : text,
    };
  };

/** Starts an API server; `store` and the other parts have defaults. */
export const startTestApi = async (
  overrides: Partial<Omit<ApiServerOptions, 'token' | 'port' | 'onError'>> = {},
): Promise<TestApi> => {
  const store = overrides.store ?? new MemoryStore();
  const faults = overrides.faults ?? new Faults();
  const errors: unknown[] = [];
  const stopCollector = startGarbageCollector(store);
  const server = await startApiServer({
    logs: { read: () => undefined },
    denied: [],
    bookmarkIntervalMs: 60_000,
    ...overrides,
    store,
    faults,
    isToken: isToken(TOKEN),
    port: 0,
    onError: (error) => errors.push(error),
  });
  const kubeConfig = new KubeConfig();
  kubeConfig.loadFromString(
    kubeconfigText({ url: server.url, caPem: server.caPem, token: TOKEN, namespace: 'default' }),
  );
  return {
    store,
    faults,
    kubeConfig,
    errors,
    url: server.url,
    send: sendTo(server.url, server.caPem),
    async [Symbol.asyncDispose]() {
      await server.stop();
      stopCollector();
      store.close();
    },
  };
};

/** A valid Pod. */
export const podDraft = (name: string, spec: Record<string, unknown> = {}) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'default' },
  spec: { containers: [{ name: 'agent', image: 'agent:1' }], ...spec },
});

/** A valid Service of type NodePort. */
export const serviceDraft = (name: string, port: Record<string, unknown> = {}) => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name, namespace: 'default' },
  spec: { type: 'NodePort', ports: [{ port: 80, ...port }] },
});

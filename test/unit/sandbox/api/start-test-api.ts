import { KubeConfig } from '@kubernetes/client-node';
import { type ApiServerOptions, startApiServer } from '../../../../sandbox/api/api-server.ts';
import { isToken } from '../../../../sandbox/api/authentication.ts';
import { Faults } from '../../../../sandbox/faults.ts';
import { kubeconfigText } from '../../../../sandbox/kubeconfig.ts';
import { startGarbageCollector } from '../../../../sandbox/store/garbage-collector.ts';
import { MemoryStore } from '../../../../sandbox/store/memory-store.ts';
import { type ApiRequest, openApi } from '../../../contract/api-client.ts';

/** One raw request; it carries the token unless `headers` has another one. */
export interface RawRequest extends ApiRequest {
  path: string;
}

/** The answer, with `body` parsed if it is JSON. */
export interface RawAnswer {
  code: number;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  body: unknown;
}

/** An API server with its own store, without a node or controllers. */
export interface TestApi extends AsyncDisposable {
  store: MemoryStore;
  faults: Faults;
  kubeConfig: KubeConfig;
  /** Errors other than refusals. */
  errors: unknown[];
  send(request: RawRequest): Promise<RawAnswer>;
}

const TOKEN = 'test-token';

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
  const kubeconfig = kubeconfigText({ url: server.url, caPem: server.caPem, token: TOKEN, namespace: 'default' });
  const kubeConfig = new KubeConfig();
  kubeConfig.loadFromString(kubeconfig);
  const client = openApi(kubeconfig);
  return {
    store,
    faults,
    kubeConfig,
    errors,
    async send({ path, ...request }) {
      const { status, headers, text, body } = await client.send(path, request);
      return { code: status, headers, body: headers['content-type'] === 'application/json' ? body : text };
    },
    async [Symbol.asyncDispose]() {
      client[Symbol.dispose]();
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

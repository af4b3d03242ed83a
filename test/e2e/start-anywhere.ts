import { fileURLToPath } from 'node:url';
import { type ApiClient, openApi } from '../contract/api-client.ts';
import { startDavit } from '../prove/cluster/start-davit.ts';
import { openTestCluster, testClusterVariable } from '../prove/cluster/test-cluster.ts';
import { type FollowedHistory, followHistory } from '../support/followed-history.ts';
import { startTestRuntime, type TestRuntime, type TestRuntimeOptions } from '../support/start-test-runtime.ts';

/** A complete davit for one test file, with the sandbox or a real cluster. */
export interface DavitAnywhere
  extends AsyncDisposable,
    Pick<TestRuntime, 'config' | 'runtime' | 'launches' | 'github' | 'ci'> {
  /** Where davit keeps what it knows. */
  stateDirectory: string;
  /** A kubeconfig with full rights. */
  kubeconfig: string;
  /** A client with full rights. */
  api: ApiClient;
  /** The cluster's history, from before the first launch. */
  history: FollowedHistory;
}

/** The start options; `sandbox` sets the sandbox's behaviour and has no effect on a real cluster. */
export type AnywhereOptions = Pick<TestRuntimeOptions, 'changeConfig' | 'sandbox' | 'sweepIntervalMs'>;

/** Whether the tests run on a real cluster: as a part of `npm run prove -- cluster`. */
export const isReal = process.env[testClusterVariable] !== undefined;

/** The command that makes an agent's container the reference agent. */
export const beAgent: readonly string[] = [
  process.execPath,
  isReal ? '/agent.mjs' : fileURLToPath(new URL('../../local/agent/agent.ts', import.meta.url)),
];

/**
 * Starts a davit for tests that hold on any cluster: the sandbox or, in `npm run prove -- cluster`, the real one. Disposal
 * empties the real cluster's namespace.
 */
export async function startAnywhere(options: AnywhereOptions = {}): Promise<DavitAnywhere> {
  return isReal ? startOnTestCluster(options) : startOnSandbox(options);
}

async function startOnSandbox(options: AnywhereOptions): Promise<DavitAnywhere> {
  await using started = new AsyncDisposableStack();
  const davit = started.use(await startTestRuntime(options));
  const { kubeconfig } = davit.cluster;
  const api = started.use(openApi(kubeconfig));
  const history = started.use(await followHistory(kubeconfig));
  const running = started.move();
  return { ...davit, kubeconfig, api, history, [Symbol.asyncDispose]: () => running.disposeAsync() };
}

async function startOnTestCluster(options: AnywhereOptions): Promise<DavitAnywhere> {
  await using started = new AsyncDisposableStack();
  const cluster = await openTestCluster();
  const { kubeconfig } = cluster;
  const history = started.use(await followHistory(kubeconfig));
  const davit = started.use(await startDavit(cluster, options));
  started.defer(() => empty(davit.api, history));
  const running = started.move();
  return { ...davit, kubeconfig, history, [Symbol.asyncDispose]: () => running.disposeAsync() };
}

/** Ends the launches that a test has left: their Services take the Pods along. */
async function empty(api: ApiClient, history: FollowedHistory): Promise<void> {
  for (const object of await history.left()) {
    const [kind, name] = object.split(' ');
    const resource = kind === 'Service' ? 'services' : 'pods';
    await api.send(`/api/v1/namespaces/davit-agents/${resource}/${name}`, { method: 'DELETE' });
  }
}

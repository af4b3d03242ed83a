import type { Config } from '../../functions/domain/config.ts';
import { startDavit } from '../cluster/start-davit.ts';
import { openTestCluster, testClusterVariable } from '../cluster/test-cluster.ts';
import { openApi } from '../contract/api-client.ts';
import { type FollowedHistory, followHistory } from '../support/followed-history.ts';
import { startTestRuntime, type TestRuntime } from '../support/start-test-runtime.ts';

/** A whole davit for one test file, in front of the sandbox or of a real cluster. */
export interface DavitAnywhere extends AsyncDisposable, Pick<TestRuntime, 'runtime' | 'launches' | 'github' | 'ci'> {
  /** What happened in the cluster, from before the first launch. */
  history: FollowedHistory;
}

/**
 * Starts a davit for tests that hold on any cluster: on the sandbox, or, as a part of `npm run test:cluster`, on the
 * real one. When it is disposed of, the real cluster is as it was.
 *
 * @param changeConfig what is different from the repository's davit.yaml
 */
export async function startAnywhere(
  changeConfig: (config: Config) => Config = (config) => config,
): Promise<DavitAnywhere> {
  const isReal = process.env[testClusterVariable] !== undefined;
  return isReal ? startOnTestCluster(changeConfig) : startOnSandbox(changeConfig);
}

async function startOnSandbox(changeConfig: (config: Config) => Config): Promise<DavitAnywhere> {
  await using started = new AsyncDisposableStack();
  const davit = started.use(await startTestRuntime({ changeConfig }));
  const history = started.use(await followHistory(davit.cluster.kubeconfig));
  const running = started.move();
  const { runtime, launches, github, ci } = davit;
  return { runtime, launches, github, ci, history, [Symbol.asyncDispose]: () => running.disposeAsync() };
}

async function startOnTestCluster(changeConfig: (config: Config) => Config): Promise<DavitAnywhere> {
  await using started = new AsyncDisposableStack();
  const cluster = await openTestCluster();
  const history = started.use(await followHistory(cluster.kubeconfig));
  const davit = started.use(await startDavit(cluster, { changeConfig }));
  started.defer(() => empty(cluster.kubeconfig, history));
  const running = started.move();
  const { runtime, launches, github, ci } = davit;
  return { runtime, launches, github, ci, history, [Symbol.asyncDispose]: () => running.disposeAsync() };
}

/** Ends the launches that a test has left: Services take their Pods along. */
async function empty(kubeconfig: string, history: FollowedHistory): Promise<void> {
  using api = openApi(kubeconfig);
  for (const object of await history.left()) {
    const [kind, name] = object.split(' ');
    const resource = kind === 'Service' ? 'services' : 'pods';
    await api.send(`/api/v1/namespaces/davit-agents/${resource}/${name}`, { method: 'DELETE' });
  }
}

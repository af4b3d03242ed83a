import { ApiException, CoreV1Api, KubeConfig, type V1Pod } from '@kubernetes/client-node';
import { readSecret } from '../../local/store/read-store.ts';
import { type ConnectionOptions, readPlaces } from '../api/connection.ts';
import { targetOf } from '../api/target.ts';
import { CliError } from '../cli-error.ts';
import { messageOf } from '../doctor/ask-cluster.ts';
import type { Terminal } from '../terminal.ts';
import type { Launch } from '../view/timeline.ts';
import { wordsOf } from '../words-of.ts';

/** How a person reaches a launch's Pod. */
export interface AgentOptions extends ConnectionOptions {
  /** @default the local davit's, or the caller's own: KUBECONFIG, ~/.kube/config */
  kubeconfig?: string;
  /** @default the local davit's for the launch's cluster, or the kubeconfig's current one */
  context?: string;
  /** @default the agent's */
  container?: string;
}

/** A container of a launch's Pod, and the caller's access to its cluster. */
export interface AgentContainer {
  config: KubeConfig;
  namespace: string;
  pod: string;
  container: string;
}

/**
 * Finds the Pod of a launch in its cluster, with the caller's own kubeconfig: the caller sees what the cluster lets them
 * see.
 *
 * @throws CliError `pod-gone` when there is no Pod; `cluster-refused` in the cluster's words
 */
export async function findAgent(launch: Launch, options: AgentOptions, terminal: Terminal): Promise<AgentContainer> {
  const { plan, agentName: pod, launchId } = launch;
  if (plan === undefined) throw podGone(launchId);
  const { namespace } = plan;
  const config = await kubeconfigOf(options, plan.cluster, terminal);
  const found = await ask(() => config.makeApiClient(CoreV1Api).readNamespacedPod({ name: pod, namespace }), launchId);
  return { config, namespace, pod, container: chooseContainer(found, options.container) };
}

async function kubeconfigOf(options: AgentOptions, cluster: string, { env }: Terminal): Promise<KubeConfig> {
  const config = new KubeConfig();
  const isLocal = options.kubeconfig === undefined && targetOf(options, env).kind === 'state';
  const places = isLocal ? await readPlaces(options.state) : undefined;
  const path = options.kubeconfig ?? places?.kubeconfigPath;
  const isOwn = options.kubeconfig === undefined && options.context === undefined;
  const secret = isOwn ? places?.kubeconfigSecrets[cluster] : undefined;
  try {
    if (secret !== undefined) config.loadFromString(readSecret(options.state, secret));
    else if (path === undefined) config.loadFromDefault();
    else config.loadFromFile(path);
  } catch (error) {
    throw new CliError('usage', 'kubeconfig-invalid', `the kubeconfig cannot be read: ${wordsOf(error)}`, fix, error);
  }
  const context = options.context ?? places?.contexts[cluster];
  if (context !== undefined) config.setCurrentContext(context);
  if (config.getCurrentCluster() !== null) return config;
  const what = context === undefined ? 'the kubeconfig has no current context' : `there is no context ${context}`;
  throw new CliError('usage', 'context-missing', what, fix);
}

const fix = "Name the kubeconfig and the context of the launch's cluster: --kubeconfig FILE --context NAME.";

function chooseContainer({ spec }: V1Pod, wanted: string | undefined): string {
  const names = [...(spec?.containers ?? []), ...(spec?.initContainers ?? [])];
  const agent = spec?.containers.find(({ env }) => env?.some(({ name }) => name === 'DAVIT_AGENT_NAME'));
  if (wanted === undefined) return agent?.name ?? names[0]?.name ?? '';
  if (names.some(({ name }) => name === wanted)) return wanted;
  const known = names.map(({ name }) => name).join(', ');
  throw new CliError('unknown', 'container-unknown', `the Pod has no container ${wanted}; it has ${known}`);
}

/** Asks the cluster. @throws CliError with the cluster's words, with which status it refused */
export async function ask<Result>(call: () => Promise<Result>, launchId: string): Promise<Result> {
  try {
    return await call();
  } catch (error) {
    if (!(error instanceof ApiException)) {
      const what = `the cluster cannot be reached: ${wordsOf(error)}`;
      throw new CliError('unreachable', 'cluster-unreachable', what, fix, error);
    }
    if (error.code === 404) throw podGone(launchId, error);
    const words = messageOf(error);
    const reason = error.code === 401 || error.code === 403 ? 'refused' : 'failed';
    throw new CliError(reason, 'cluster-refused', `the cluster refuses it: ${words}`, undefined, error);
  }
}

function podGone(launchId: string, cause?: unknown): CliError {
  const advice = `davit show ${launchId} has the end of its log, if it failed.`;
  return new CliError('unknown', 'pod-gone', `the Pod of ${launchId} is not there`, advice, cause);
}

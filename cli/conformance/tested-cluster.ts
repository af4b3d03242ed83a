import { AuthorizationV1Api, KubeConfig } from '@kubernetes/client-node';
import { type ClusterConnection, connectCluster } from '../../adapters/kubernetes/cluster-connection.ts';
import { CliError } from '../cli-error.ts';
import { wordsOf } from '../words-of.ts';

/** Where the checks run. */
export interface TestedPlace {
  /** The path of the caller's kubeconfig. */
  kubeconfig: string;
  /** @default the kubeconfig's current one */
  context?: string;
  /** The namespace of the checks' objects. */
  namespace: string;
  /** The image of the Pods that a node gets. It need not start. */
  image: string;
  /** How long a check waits for the cluster, in milliseconds. */
  waitMs: number;
}

/** A cluster under test. */
export interface TestedCluster extends Pick<TestedPlace, 'namespace' | 'image' | 'waitMs'> {
  /** davit's own connection, by the caller's credential. */
  connection: ClusterConnection;
  authorization: AuthorizationV1Api;
}

const patience = { callMs: 10_000, silenceMs: 10_000, pauseMs: 250 };

/**
 * Opens a cluster with the caller's kubeconfig. Nothing is sent yet.
 *
 * @throws CliError `kubeconfig-invalid`, `context-missing`
 */
export function openTestedCluster({ kubeconfig, context, ...place }: TestedPlace): TestedCluster {
  const config = new KubeConfig();
  try {
    config.loadFromFile(kubeconfig);
  } catch (error) {
    const message = `the kubeconfig ${kubeconfig} cannot be read: ${wordsOf(error)}`;
    throw new CliError('usage', 'kubeconfig-invalid', message, undefined, error);
  }
  if (context !== undefined) config.setCurrentContext(context);
  const cluster = config.getCurrentCluster();
  if (cluster === null) {
    const named = context === undefined ? 'no current context' : `no context ${context}`;
    throw new CliError('usage', 'context-missing', `the kubeconfig ${kubeconfig} has ${named} with a cluster`);
  }
  const access = { kubeConfig: config, authenticatedBy: 'the kubeconfig', renewedBy: 'nothing' };
  return {
    namespace: place.namespace,
    image: place.image,
    waitMs: place.waitMs,
    connection: connectCluster({ ...access, endpoint: cluster.server.replace(/\/+$/, '') }, patience),
    authorization: config.makeApiClient(AuthorizationV1Api),
  };
}

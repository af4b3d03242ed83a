import type { KubeconfigCluster } from '../../core/config/config.ts';
import { TerminalError } from '../../core/errors/errors.ts';
import type { AccessSource, ClusterAccess } from './cluster-access.ts';
import { KubeconfigError, readKubeconfig } from './read-kubeconfig.ts';

/** Where the clusters' kubeconfigs are read. */
export interface KubeconfigSource {
  /** Cached by its own rules. */
  read: (secretId: string) => Promise<string>;
  /** Past any cache. */
  refresh: (secretId: string) => Promise<string>;
}

/**
 * Reaches a cluster by the kubeconfig in its secret. A renewed kubeconfig takes effect without a deployment.
 *
 * @returns a source that throws TerminalError KubeconfigInvalid, and what the secrets throw
 */
export function kubeconfigAccess(secrets: KubeconfigSource, cluster: KubeconfigCluster): AccessSource {
  let known: { text: string; access: ClusterAccess } | undefined;
  const secretId = cluster.kubeconfigSecret;
  async function accessBy(text: string): Promise<ClusterAccess> {
    if (known?.text !== text) known = { text, access: parse(text, cluster) };
    return known.access;
  }
  return {
    read: async () => accessBy(await secrets.read(secretId)),
    refresh: async () => accessBy(await secrets.refresh(secretId)),
  };
}

function parse(text: string, { name, kubeconfigSecret }: KubeconfigCluster): ClusterAccess {
  try {
    return readKubeconfig(text);
  } catch (cause) {
    if (!(cause instanceof KubeconfigError)) throw cause;
    const detail = `the kubeconfig in secret ${kubeconfigSecret}: ${cause.message}`;
    throw new TerminalError('KubeconfigInvalid', detail, { cluster: name }, { cause });
  }
}

import type { KubeConfig } from '@kubernetes/client-node';

/** Where a cluster's API server is, and how davit proves its identity to it. */
export interface ClusterAccess {
  /** Has one cluster and one user. */
  kubeConfig: KubeConfig;
  /** The API server's URL, without a slash at the end and without a user in it: errors name it. */
  endpoint: string;
  /** For errors, without the secret: `a bearer token`. */
  authenticatedBy: string;
  /** For errors, how davit renewed it after a refusal: `its secret was read a second time`. */
  renewedBy: string;
}

/**
 * The source of a cluster's access. Both methods may throw TransientError, and TerminalError when a repetition does not
 * help.
 */
export interface AccessSource {
  /** The known access: the same object as long as it has the same content. */
  read: () => Promise<ClusterAccess>;
  /** The present access, without any cache, for a caller whose earlier access was refused. */
  refresh: () => Promise<ClusterAccess>;
}

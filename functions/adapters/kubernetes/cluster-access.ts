import type { KubeConfig } from '@kubernetes/client-node';

/** Where a cluster's API server is, and how davit proves its identity to it. */
export interface ClusterAccess {
  /** Has one cluster and one user. */
  kubeConfig: KubeConfig;
  /** The API server's URL, without a slash at the end and without a user in it: errors name it. */
  endpoint: string;
  /** For errors, without the secret: `a bearer token`. */
  authenticatedBy: string;
  /** For errors, how it was renewed after a refusal: `its secret was read anew`. */
  renewedBy: string;
}

/** Where a cluster's access is found. Both may throw TransientError, and TerminalError for what no repetition mends. */
export interface AccessSource {
  /** The access as it is known: the same object as long as it says the same. */
  read: () => Promise<ClusterAccess>;
  /** The access as it is now, past any cache, for a caller who was refused with the one before. */
  refresh: () => Promise<ClusterAccess>;
}

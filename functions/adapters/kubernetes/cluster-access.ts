import type { SecureContext } from 'node:tls';

/** Where a cluster's API server is, and how davit proves to it who it is. */
export interface ClusterAccess {
  /** The API server's URL, without a slash at the end and without a user in it: errors name it. */
  endpoint: string;
  /** How TLS is spoken; what is not given is Node's own. */
  tls: { secureContext?: SecureContext; servername?: string; rejectUnauthorized?: boolean };
  /** Makes the Authorization header; undefined where TLS says it all. Asked for each call. */
  authorization: () => Promise<string | undefined>;
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

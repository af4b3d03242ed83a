import type { ClusterReason } from '../../core/cluster/connection.ts';
import type { ErrorCode } from '../../core/errors/error-codes.ts';
import { DavitError, TransientError } from '../../core/errors/errors.ts';

const reasons: Partial<Record<ErrorCode, ClusterReason>> = {
  ClusterUnreachable: 'Unreachable',
  ClusterThrottled: 'Throttled',
  ClusterFault: 'ServerFault',
  AdmissionUnavailable: 'AdmissionUnavailable',
  ClusterUnauthorized: 'Unauthorized',
  ClusterForbidden: 'Forbidden',
  NamespaceMissing: 'NamespaceMissing',
  KubeconfigInvalid: 'KubeconfigInvalid',
  SecretMissing: 'AccessMissing',
  EksClusterMissing: 'AccessMissing',
  EksAccessDenied: 'AccessMissing',
};

/**
 * Says what an error shows about the connection to a cluster.
 *
 * @returns undefined for an answer about the call alone: a full quota, a refused object
 */
export function reasonOf(error: unknown): ClusterReason | undefined {
  if (error instanceof TransientError && error.reason !== undefined) return error.reason;
  return isDavitError(error) ? reasons[error.code] : undefined;
}

function isDavitError(error: unknown): error is DavitError {
  return error instanceof DavitError;
}

const ofNamespaces: ReadonlySet<ClusterReason> = new Set(['Forbidden', 'NamespaceMissing', 'AdmissionUnavailable']);

/** Says whether a reason is about a namespace, or about one kind of call there. The API server itself has answered. */
export function isOfNamespace(reason: ClusterReason): boolean {
  return ofNamespaces.has(reason);
}

import type { ClusterReason } from '../domain/cluster-state.ts';
import type { ErrorCode } from '../domain/error-codes.ts';
import { DavitError, TransientError } from '../domain/errors.ts';

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

/** The reasons that are about one kind of call or one namespace. A launch's own call must not speak for the cluster. */
const ofOneCall: ReadonlySet<ClusterReason> = new Set(['Forbidden', 'NamespaceMissing', 'AdmissionUnavailable']);

/** Like `reasonOf`, for a call that one launch or one namespace needs. */
export function reasonOfCall(error: unknown): ClusterReason | undefined {
  const reason = reasonOf(error);
  return reason !== undefined && ofOneCall.has(reason) ? undefined : reason;
}

import type { ErrorCode } from '../../core/errors/error-codes.ts';
import { PendingError, RelaunchError, TerminalError, TransientError } from '../../core/errors/errors.ts';
import type { Signal } from '../../core/launch/launch-record.ts';
import type { LaunchPlan } from '../../core/launch/launch-state.ts';
import { isWaitForRoom } from '../../core/launch/waits-for-room.ts';
import { unschedulable } from '../../core/pod/autoscaler-words.ts';
import { type AwayClustersDeps, awayClusters, findAway } from '../cluster-reports/away-clusters.ts';

/** The dependencies for deciding whether a launch moves to another cluster. */
type MoveDeps = AwayClustersDeps;

/** The errors that show that a cluster or a namespace does not work, if it is known to be away. */
export const showsAway: ReadonlySet<ErrorCode> = new Set([
  'ClusterUnreachable',
  'ClusterThrottled',
  'ClusterFault',
  'AdmissionUnavailable',
]);

/** The errors by which a cluster refuses a launch: another cluster may have the permission, the namespace or the policy. */
const refusals: ReadonlySet<ErrorCode> = new Set([
  'ClusterForbidden',
  'ClusterUnauthorized',
  'AdmissionDenied',
  'NamespaceMissing',
  'KubeconfigInvalid',
  'EksClusterMissing',
  'EksAccessDenied',
]);

/**
 * Replaces an attempt's error by one that moves the launch, if its cluster refuses it, or if the cluster or the launch's
 * namespace there has been away for longer than the plan's `failoverSeconds`. A launch that only waits moves to no cluster
 * that is known to be away.
 *
 * @returns the error itself, if the launch stays
 * @throws TransientError StoreUnavailable
 */
export async function moveOr(deps: MoveDeps, plan: LaunchPlan, error: unknown): Promise<unknown> {
  const { cluster, namespace, failover } = plan;
  if (failover === undefined || failover.clusters.length === 0) return error;
  if (error instanceof TerminalError && refusals.has(error.code)) {
    const detail = `cluster ${cluster} refuses the launch: ${error.code}: ${error.detail}`;
    return new RelaunchError('ClusterRefused', detail, error.subject, { cause: error });
  }
  if (!(error instanceof TransientError) || !showsAway.has(error.code)) return error;
  const away = await findAway(deps, cluster, namespace);
  if (away === undefined) return error;
  const awayMs = deps.nowEpochMs() - away.connection.sinceEpochMs;
  if (awayMs < failover.failoverSeconds * 1000 || !(await isAnotherThere(deps, plan))) return error;
  const detail = `${away.what} has been away for ${secondsOf(awayMs)} s: ${error.detail}`;
  return new RelaunchError('ClusterAway', detail, error.subject, { cause: error });
}

/**
 * Replaces the error of a launch that waits by one that moves it, if its cluster has had no room for longer than the
 * plan's `spillSeconds`: a quota or the node-port range is full, or the Pod fits on no node.
 *
 * @param signal the signal in the launch's record, which has since when there is no room
 * @returns the error itself, if the launch stays
 */
export async function moveForRoomOr(
  deps: MoveDeps,
  plan: LaunchPlan,
  signal: Signal | undefined,
  error: PendingError,
): Promise<PendingError | RelaunchError> {
  const { cluster, failover } = plan;
  if (failover === undefined || signal === undefined) return error;
  if (!isWaitForRoom(signal) && signal.code !== unschedulable) return error;
  const waitedMs = deps.nowEpochMs() - signal.sinceEpochMs;
  if (waitedMs < failover.spillSeconds * 1000 || !(await isAnotherThere(deps, plan))) return error;
  const detail = `cluster ${cluster} has had no room for ${secondsOf(waitedMs)} s: ${signal.code}: ${signal.detail}`;
  return new RelaunchError('ClusterFull', detail, error.subject, { cause: error });
}

async function isAnotherThere(deps: MoveDeps, { failover, namespace }: LaunchPlan): Promise<boolean> {
  const { clusters = [] } = failover ?? {};
  const away = await awayClusters(deps, clusters, namespace);
  return clusters.some((cluster) => !away.has(cluster));
}

function secondsOf(ms: number): number {
  return Math.round(ms / 1000);
}

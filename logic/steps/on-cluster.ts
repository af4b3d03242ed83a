import { awayAt } from '../../core/cluster/cluster-state.ts';
import { describeAway } from '../../core/cluster/connection.ts';
import { ClusterAwayError, TransientError } from '../../core/errors/errors.ts';
import type { Stamps } from '../../core/launch/execution-state.ts';
import type { LaunchPlan } from '../../core/launch/launch-state.ts';
import { timelineOf } from '../../core/launch/timeline.ts';
import { isWaitForRoom } from '../../core/launch/waits-for-room.ts';
import type { OpenCluster } from '../../ports/cluster.ts';
import type { ClusterStates } from '../../ports/cluster-states.ts';
import type { Launches } from '../../ports/launches.ts';
import { moveOr, showsAway } from './move-elsewhere.ts';
import { type Deadline, withinDeadline } from './within-deadline.ts';

/** The dependencies of waiting for a cluster. */
export interface OnClusterDeps {
  launches: Pick<Launches, 'get' | 'noteSignal'>;
  clusterStates: Pick<ClusterStates, 'get'>;
  nowEpochMs: () => number;
}

/** The dependencies of a step that calls the launch's cluster. */
export interface StepDeps extends OnClusterDeps {
  openCluster: OpenCluster;
}

/**
 * Runs one attempt of a step on the launch's cluster. While the cluster, or the launch's namespace there, is away, the
 * launch waits, and its record says what is away, why, since when, and when davit looks again. The step's own deadline
 * ends the wait. A launch that may use several clusters leaves one that refuses it, or that stays away.
 *
 * @throws RelaunchError ClusterRefused, ClusterAway; ClusterAwayError in place of TransientError ClusterUnreachable, and
 *   of the other errors that a cluster or namespace throws that is known to be away; any other error unchanged
 */
export async function onCluster<Output>(
  deps: OnClusterDeps,
  plan: LaunchPlan & Stamps,
  attempt: () => Promise<Output>,
): Promise<Output> {
  try {
    return await attempt();
  } catch (failure) {
    const error = await moveOr(deps, plan, failure);
    if (!(error instanceof TransientError) || !showsAway.has(error.code)) throw error;
    throw await awayError(deps, plan, error);
  }
}

/** Runs one attempt of a step on the launch's cluster, as `withinDeadline` and `onCluster` do. */
export async function onClusterWithinDeadline<Output>(
  deps: OnClusterDeps,
  plan: LaunchPlan & Stamps,
  deadline: Deadline,
  attempt: () => Promise<Output>,
): Promise<Output> {
  return withinDeadline(deadline, deps.nowEpochMs, () => onCluster(deps, plan, attempt));
}

async function awayError(
  { launches, clusterStates, nowEpochMs }: OnClusterDeps,
  plan: LaunchPlan & Stamps,
  error: TransientError,
): Promise<TransientError> {
  const { launchId, agentName, cluster, namespace, waitsForCluster, failover } = plan;
  const [state, record] = await Promise.all([clusterStates.get(cluster), launches.get(launchId)]);
  const away = awayAt(state, namespace, nowEpochMs());
  if (away === undefined && error.code !== 'ClusterUnreachable') return error;
  const { what, connection } = away ?? { what: `cluster ${cluster}`, connection: state };
  const why = connection?.failures === undefined ? (error.reason ?? 'Unreachable') : describeAway(connection);
  const next = failover?.clusters.length
    ? `; the launch moves to another cluster after ${failover.failoverSeconds} s`
    : '';
  const detail = `${what} is away (${why}): ${error.detail}${next}`;
  // A wait for room goes on: its deadline counts from the signal.
  if (!isWaitForRoom(record?.signal)) {
    const signal = { code: error.code, detail, sinceEpochMs: nowEpochMs() };
    await launches.noteSignal(launchId, signal, agentName, timelineOf(plan));
  }
  const options = { cause: error, ...(error.reason === undefined ? {} : { reason: error.reason }) };
  // A state machine that began before this version knows no ClusterAwayError, and would fail the launch.
  const Away = waitsForCluster === true ? ClusterAwayError : TransientError;
  return new Away(error.code, detail, error.subject, options);
}

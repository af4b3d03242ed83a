import { PendingError, TransientError } from '../../core/errors/errors.ts';
import type { Stamps } from '../../core/launch/execution-state.ts';
import type { LaunchPlan } from '../../core/launch/launch-state.ts';
import { timelineOf } from '../../core/launch/timeline.ts';
import { waitsForRoom } from '../../core/launch/waits-for-room.ts';
import { moveForRoomOr } from './move-elsewhere.ts';
import { type OnClusterDeps, onCluster } from './on-cluster.ts';
import { type Deadline, unlessPassed } from './within-deadline.ts';

/**
 * Runs one attempt of a step that creates an object, as `onClusterWithinDeadline` does. The deadline of a full quota or
 * node-port range counts from when the cluster first reported it, which the launch's record keeps as its signal.
 *
 * @throws RelaunchError ClusterFull, or as `onCluster`; TerminalError with the code of the deadline that passed
 */
export async function createWithinDeadlines<Output>(
  deps: OnClusterDeps,
  plan: LaunchPlan & Stamps,
  deadline: Deadline,
  attempt: () => Promise<Output>,
): Promise<Output> {
  try {
    return await onCluster(deps, plan, attempt);
  } catch (error) {
    if (error instanceof PendingError) throw await unlessNoRoom(deps, plan, deadline, error);
    if (!(error instanceof TransientError)) throw error;
    const over = unlessPassed(deadline, deps.nowEpochMs(), error);
    throw over === error ? error : unlessPassed(await afterRoom(deps, plan, deadline), deps.nowEpochMs(), error);
  }
}

async function unlessNoRoom(
  deps: OnClusterDeps,
  plan: LaunchPlan & Stamps,
  deadline: Deadline,
  pending: PendingError,
): Promise<Error> {
  const { launchId, agentName, deadlines } = plan;
  const { code, detail } = pending;
  const waiting = { code, detail, sinceEpochMs: deps.nowEpochMs() };
  const signal = await deps.launches.noteSignal(launchId, waiting, agentName, timelineOf(plan));
  const error = await moveForRoomOr(deps, plan, signal, pending);
  if (error !== pending) return error;
  const room = waitsForRoom.get(code);
  const counted =
    room === undefined
      ? deadline
      : { ...deadline, sinceEpochMs: signal.sinceEpochMs, seconds: deadlines[room.seconds], code: room.code };
  return unlessPassed(counted, deps.nowEpochMs(), pending);
}

/** A step that has waited for room has its own time beside the whole of that wait's, which nothing may end early. */
async function afterRoom(
  { launches }: OnClusterDeps,
  { launchId, deadlines }: LaunchPlan,
  deadline: Deadline,
): Promise<Deadline> {
  const signal = (await launches.get(launchId))?.signal;
  const room = waitsForRoom.get(signal?.code ?? '');
  if (signal === undefined || room === undefined) return deadline;
  return { ...deadline, sinceEpochMs: signal.sinceEpochMs, seconds: deadlines[room.seconds] + deadline.seconds };
}

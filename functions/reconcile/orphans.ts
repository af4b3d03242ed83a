import { isLive, type LaunchRecord } from '../../core/launch/launch-record.ts';
import { launchIdOfAgent } from '../../core/launch/names.ts';
import { agentNameOfRunner } from '../../core/launch/runner-names.ts';
import { stopRunner } from '../../logic/lifecycle/stop-runner.ts';
import type { NamedRunner, PlannedRepair } from './planned-repair.ts';
import type { RegisteredRunner } from './read-ci.ts';
import type { ReconcileDeps } from './reconcile-deps.ts';
import type { ReconcileRun } from './reconcile-run.ts';
import { mayWrite } from './round-pace.ts';
import type { RoundView } from './round-view.ts';

/** How long a registration, or the end of a launch, is left to the function that works on it, in milliseconds. */
const underWayMs = 120_000;

/** Finds the launches of runners. Leaves out a runner that belongs to no agent of this installation. */
export function namedRunners(installationId: string, runners: readonly RegisteredRunner[]): NamedRunner[] {
  return runners.flatMap((registered) => {
    const agentName = agentNameOfRunner(installationId, registered.runner.name);
    return agentName === undefined ? [] : [{ ...registered, launchId: launchIdOfAgent(agentName) }];
  });
}

/**
 * Says whether a runner belongs to no present or future agent: its launch is unknown, or has been over for a while, or
 * is registered as another runner and is not about to register again.
 *
 * @param record of the runner's launch, read after the runner
 */
export function isOrphan({ runner }: NamedRunner, record: LaunchRecord | undefined, nowEpochMs: number): boolean {
  if (record === undefined) return true;
  if (!isLive(record)) return nowEpochMs - (record.ending?.atEpochMs ?? record.requestedAtEpochMs) >= underWayMs;
  if (record.runner?.id === runner.id) return false;
  const begunAtEpochMs = record.registration?.begunAtEpochMs ?? record.requestedAtEpochMs;
  return nowEpochMs - begunAtEpochMs >= underWayMs;
}

/** Plans to remove the runners that belong to no agent, all of them together: each removal waits for the CI system. */
export function planOrphans({ runners, installationId, launches, nowEpochMs }: RoundView): PlannedRepair[] {
  const orphans = namedRunners(installationId, runners)
    .filter(({ launchId }) => !launches.unread.has(launchId))
    .filter((named) => isOrphan(named, launches.records.get(named.launchId), nowEpochMs));
  return orphans.length === 0 ? [] : [{ kind: 'unregister', runners: orphans }];
}

/**
 * Removes runners that belong to no agent, as a retirement does: set, look, act. Reads their launches once more before.
 * Leaves a busy runner alone: davit may have forgotten its launch, and the CI system forgets the runner after its job.
 */
export async function removeOrphans(
  deps: ReconcileDeps,
  run: ReconcileRun,
  ciSystem: string,
  planned: readonly NamedRunner[],
): Promise<void> {
  const { records, unreadable } = await deps.launches.getMany(planned.map(({ launchId }) => launchId));
  const isUnreadable = new Set(unreadable.map(({ launchId }) => launchId));
  const now = deps.nowEpochMs();
  const orphans = planned.filter(
    (each) => !isUnreadable.has(each.launchId) && isOrphan(each, records.get(each.launchId), now),
  );

  const ci = deps.ciSystemOf(ciSystem);
  // A runner that may still get a job must not be removed, so one that was not stopped is left to the next round. So is one
  // that was stopped a moment ago, where the CI system keeps since when: a round has no time for a long wait.
  const stopped: NamedRunner[] = [];
  for (const orphan of orphans) {
    if (!run.mayBegin()) break;
    await run.attempt(`runner ${orphan.runner.name}`, async () => {
      const { scope, runner } = orphan;
      const settlingMs = await stopRunner(ci, { scope, runnerId: runner.id }, deps.nowEpochMs());
      if (ci.stoppedAtEpochMs === undefined || settlingMs === 0) stopped.push(orphan);
    });
  }
  if (stopped.length === 0) return;
  if (ci.stoppedAtEpochMs === undefined) await deps.sleep(ci.settleMs);
  for (const [index, { runner, scope, launchId }] of stopped.entries()) {
    // The wait may have used up the time: one is removed even so, or a slow system would keep its orphans for ever.
    if (index > 0 && !run.mayBegin()) break;
    if (!(await mayWrite(deps, run, ciSystem))) break;
    await run.attempt(`runner ${runner.name}`, async () => {
      if ((await ci.removeIfIdle(scope, runner.id)) === 'busy') return;
      await deps.registrations.noteDeregistered(launchId, runner.id, deps.nowEpochMs());
      const reason = 'no live launch has this runner';
      run.repair({ ciSystem, repair: 'GhostRemoved', subject: runner.name, reason });
    });
  }
}

import type { CiScope } from '../../core/ci/ci-scope.ts';
import { isOrphan } from './plan-orphans.ts';
import type { NamedRunner } from './planned-repair.ts';
import type { ReconcileDeps } from './reconcile-deps.ts';
import type { ReconcileRun } from './reconcile-run.ts';

type RegisteredRunner = NamedRunner & { scope: CiScope };

/**
 * Removes runners that belong to no agent, as a retirement does: set, look, act. Reads their launches once more before.
 * Leaves a busy runner alone: davit may have forgotten its launch, and the CI system forgets the runner after its job.
 */
export async function removeOrphans(
  deps: ReconcileDeps,
  run: ReconcileRun,
  ciSystem: string,
  planned: readonly RegisteredRunner[],
): Promise<void> {
  const { records, unreadable } = await deps.launches.getMany(planned.map(({ launchId }) => launchId));
  const isUnreadable = new Set(unreadable.map(({ launchId }) => launchId));
  const now = deps.nowEpochMs();
  const orphans = planned.filter(
    (each) => !isUnreadable.has(each.launchId) && isOrphan(each, records.get(each.launchId), now),
  );

  const ci = deps.ciSystemOf(ciSystem);
  // A runner that may still get a job must not be removed, so one that was not stopped is left to the next round.
  const stopped: RegisteredRunner[] = [];
  for (const orphan of orphans) {
    if (!run.mayBegin()) break;
    await run.attempt(`runner ${orphan.runner.name}`, async () => {
      await ci.stopAssigning(orphan.scope, orphan.runner.id);
      stopped.push(orphan);
    });
  }
  if (stopped.length === 0) return;
  await deps.sleep(ci.settleMs);
  for (const [index, { runner, scope, launchId }] of stopped.entries()) {
    // The wait may have used up the time: one is removed even so, or a slow system would keep its orphans for ever.
    if (index > 0 && !run.mayBegin()) break;
    await run.attempt(`runner ${runner.name}`, async () => {
      if ((await ci.removeIfIdle(scope, runner.id)) === 'busy') return;
      await deps.registrations.noteDeregistered(launchId, runner.id, deps.nowEpochMs());
      const reason = 'no live launch has this runner';
      run.repair({ ciSystem, repair: 'GhostRemoved', subject: runner.name, reason });
    });
  }
}

import type { CiScope } from '../../core/ci/ci-scope.ts';
import type { CiSystemConfig } from '../../core/ci/ci-system-config.ts';
import { isGhost, type NamedRunner, namedRunners } from './find-ghosts.ts';
import type { CiSight } from './read-ci.ts';
import type { ReconcileDeps } from './reconcile-deps.ts';
import type { ReconcileRun } from './reconcile-run.ts';

type RegisteredRunner = NamedRunner & { scope: CiScope };

/**
 * Removes runners that belong to no agent, as a retirement does: set, look, act. Leaves a busy runner alone: davit may
 * have forgotten its launch, and the CI system forgets the runner after its job.
 */
export async function removeGhosts(
  deps: ReconcileDeps,
  run: ReconcileRun,
  { name: ciSystem }: Pick<CiSystemConfig, 'name'>,
  runners: CiSight['runners'],
): Promise<void> {
  const named = runners.flatMap(({ runner, scope }) =>
    namedRunners(deps.installationId, [runner]).map((each): RegisteredRunner => ({ ...each, scope })),
  );
  if (named.length === 0 || !run.mayBegin()) return;
  const { records, unreadable } = await deps.launches.getMany(named.map(({ launchId }) => launchId));
  const isUnreadable = new Set(unreadable.map(({ launchId }) => launchId));
  const now = deps.nowEpochMs();
  const ghosts = named.filter(
    (each) => !isUnreadable.has(each.launchId) && isGhost(each, records.get(each.launchId), now),
  );
  if (ghosts.length === 0) return;

  const ci = deps.ciSystemOf(ciSystem);
  // A runner that may still get a job must not be removed, so one that was not stopped is left to the next round.
  const stopped: RegisteredRunner[] = [];
  for (const ghost of ghosts) {
    if (!run.mayBegin()) break;
    await run.attempt(`runner ${ghost.runner.name}`, async () => {
      await ci.stopAssigning(ghost.scope, ghost.runner.id);
      stopped.push(ghost);
    });
  }
  if (stopped.length === 0) return;
  await deps.sleep(ci.settleMs);
  for (const [index, { runner, scope, launchId }] of stopped.entries()) {
    // The wait may have used up the time: one is removed even so, or a slow system would keep its ghosts for ever.
    if (index > 0 && !run.mayBegin()) break;
    await run.attempt(`runner ${runner.name}`, async () => {
      if ((await ci.removeIfIdle(scope, runner.id)) === 'busy') return;
      await deps.registrations.noteDeregistered(launchId, runner.id, deps.nowEpochMs());
      const reason = 'no live launch has this runner';
      run.repair({ ciSystem, repair: 'GhostRemoved', subject: runner.name, reason });
    });
  }
}

import type { CiScope } from '../domain/ci-scope.ts';
import type { CiSystemConfig } from '../domain/ci-system-config.ts';
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
  for (const { runner, scope } of ghosts) {
    await run.attempt(`runner ${runner.name}`, () => ci.stopAssigning(scope, runner.id));
  }
  await deps.sleep(ci.settleMs);
  for (const { runner, scope, launchId } of ghosts) {
    const removal = await run.attempt(`runner ${runner.name}`, () => ci.removeIfIdle(scope, runner.id));
    if (removal !== 'removed') continue;
    await deps.registrations.noteDeregistered(launchId, runner.id, deps.nowEpochMs());
    const reason = 'no live launch has this runner';
    run.repair({ ciSystem, repair: 'GhostRemoved', subject: runner.name, reason });
  }
}

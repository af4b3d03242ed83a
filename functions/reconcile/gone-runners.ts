import type { LaunchRecord } from '../../core/launch/launch-record.ts';
import type { LaunchId } from '../../core/launch/names.ts';
import type { CiSystem } from '../../ports/ci-system.ts';
import { atATime, writesAtATime } from './at-a-time.ts';
import type { CiSight } from './read-ci.ts';
import type { ReconcileRun } from './reconcile-run.ts';
import { inTurns } from './turns.ts';

/**
 * Finds the launches whose runner is gone from the CI system: no list has it, and neither has the system when davit asks
 * for it by its id.
 *
 * @returns the launches of which the CI system says so; no answer is none of them
 */
export async function goneRunners(
  run: ReconcileRun,
  ci: CiSystem,
  launches: readonly LaunchRecord[],
  { runners }: Pick<CiSight, 'runners'>,
  nowEpochMs: number,
): Promise<ReadonlySet<LaunchId>> {
  const listed = new Set(runners.map(({ runner }) => runner.id));
  const unlisted = launches.filter(({ runner }) => runner !== undefined && !listed.has(runner.id));
  const gone = new Set<LaunchId>();
  await atATime(writesAtATime, inTurns(unlisted, nowEpochMs), async ({ launchId, runner, plan }) => {
    const scope = plan?.join?.scope;
    if (runner === undefined || scope === undefined || !run.mayBegin()) return;
    await run.attempt(`runner ${runner.name}`, async () => {
      if ((await ci.getRunner(scope, runner.id)) === undefined) gone.add(launchId);
    });
  });
  return gone;
}

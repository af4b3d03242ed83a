import type { CiSystemConfig } from '../../core/ci/ci-system-config.ts';
import type { Repair } from '../../core/events/repair-event.ts';
import { isLive } from '../../core/launch/launch-record.ts';
import { isStillRetirable, type PlannedRetirement } from './plan-retirements.ts';
import type { ReconcileDeps } from './reconcile-deps.ts';
import type { ReconcileRun } from './reconcile-run.ts';

const repairs: Readonly<Record<PlannedRetirement['kind'], Repair>> = {
  surplus: 'SurplusRetired',
  idle: 'IdleRetired',
  unfinished: 'RetirementRepeated',
  finished: 'CompletionMissed',
};

/**
 * Requests retirements, each after one more look at the launch. The retirement itself asks the CI system.
 *
 * @returns how many it requested
 */
export async function retireAll(
  deps: ReconcileDeps,
  run: ReconcileRun,
  { name: ciSystem }: Pick<CiSystemConfig, 'name'>,
  planned: readonly PlannedRetirement[],
): Promise<number> {
  let retired = 0;
  for (const plan of planned) {
    if (!run.mayBegin()) break;
    const { launch, kind, reason } = plan;
    const { launchId } = launch;
    const isAsked = await run.attempt(`launch ${launchId}`, async () => {
      const record = await deps.launches.get(launchId);
      if (record === undefined || !isLive(record) || !isStillRetirable(record, plan)) return false;
      const finished = kind === 'finished' && record.runs !== undefined ? { finishedJobKey: record.runs.jobKey } : {};
      const actor = { kind: 'davit', name: `reconcile/${kind}` } as const;
      await deps.retirements.request({ launchId, reason, by: 'reconcile', actor, ...finished });
      return true;
    });
    if (isAsked !== true) continue;
    retired += 1;
    run.repair({ ciSystem, repair: repairs[kind], subject: launchId, reason });
  }
  return retired;
}

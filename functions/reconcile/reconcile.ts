import { isReconciled } from '../../core/ci/is-reconciled.ts';
import { actsIn } from '../../core/ci/join-of.ts';
import { type LaunchRecord, liveStatuses } from '../../core/launch/launch-record.ts';
import * as z from '../../core/zod.ts';
import { type ReconcileDeps, roundDepsOf } from './reconcile-deps.ts';
import type { ReconcileReport } from './reconcile-report.ts';
import { ReconcileRun } from './reconcile-run.ts';
import { reconcileSlots } from './reconcile-slots.ts';
import { reconcileSystem } from './reconcile-system.ts';
import { withinBudget } from './within-budget.ts';

const pageSize = 500;

/** The input of a reconcile; a schedule's event has none of these fields. */
export const ReconcileInput = z.object({
  /** Shows what the reconcile would do about CI systems' jobs and agents, and does nothing. */
  dryRun: z.withDefault(z.boolean(), false),
});
export type ReconcileInput = z.infer<typeof ReconcileInput>;

/**
 * Compares every CI system's own lists of jobs and runners with davit's records, and does what missing events would
 * have done. Launches agents for queued jobs without one, retires surplus and idle agents, binds jobs to their agents,
 * removes runners without an agent, and redelivers lost webhooks. Safe to repeat, and to run twice at once.
 *
 * @returns what davit saw and did; a CI system that does not answer is reported, and causes no repair
 * @throws TransientError StoreUnavailable when the launches cannot be listed
 */
export async function reconcile(
  deps: ReconcileDeps,
  input: ReconcileInput = { dryRun: false },
): Promise<ReconcileReport> {
  const run = new ReconcileRun(deps.totalMs, deps.nowEpochMs, input);
  const systems = deps.ciSystems.filter(actsIn);
  if (!isReconciled({ ...deps, limits: deps.agentLimits })) return run.report();
  const live = await listLive(deps, run);
  const round = roundDepsOf(deps);
  // A slow CI system must not delay the others.
  await Promise.all(
    systems.map((system) =>
      run.attempt(`CI system ${system.name}`, async () => {
        const ofSystem = live.filter(({ plan }) => plan?.join?.ciSystem === system.name);
        await withinBudget(deps, run, system, (allowance) => reconcileSystem(round, run, system, ofSystem, allowance));
      }),
    ),
  );
  if (!run.isDry) await run.attempt('the slots of limits', () => reconcileSlots(round, run, live));
  return run.report();
}

async function listLive({ launches }: ReconcileDeps, run: ReconcileRun): Promise<LaunchRecord[]> {
  const found: LaunchRecord[] = [];
  let cursor: string | undefined;
  do {
    const page = await launches.list({ statuses: liveStatuses, limit: pageSize, ...(cursor ? { cursor } : {}) });
    for (const { env: _env, labels: _labels, ...record } of page?.launches ?? []) found.push(record);
    for (const { launchId, why } of page?.unreadable ?? []) {
      run.fail(`launch ${launchId}`, `its record cannot be read: ${why}`);
    }
    cursor = page?.cursor;
  } while (cursor !== undefined);
  return found;
}

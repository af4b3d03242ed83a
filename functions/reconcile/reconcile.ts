import { actsIn } from '../domain/join-of.ts';
import { type LaunchRecord, liveStatuses } from '../domain/launch-record.ts';
import type { ReconcileDeps } from './reconcile-deps.ts';
import type { ReconcileReport } from './reconcile-report.ts';
import { ReconcileRun } from './reconcile-run.ts';
import { reconcileSystem } from './reconcile-system.ts';

const pageSize = 500;

/**
 * Compares every CI system's own lists of jobs and runners with davit's records: what events would have done, had each
 * arrived, once and in time. Launches agents for queued jobs that have none, retires agents that are too many or idle for
 * too long, binds jobs to their agents, takes out runners of nobody, and has lost webhooks delivered again. Safe to repeat,
 * and to run twice at once.
 *
 * @returns what was seen and done; a CI system that does not answer is reported, and changes nothing
 * @throws TransientError StoreUnavailable when the launches cannot be listed
 */
export async function reconcile(deps: ReconcileDeps): Promise<ReconcileReport> {
  const run = new ReconcileRun(deps.totalMs, deps.nowEpochMs);
  const systems = deps.ciSystems.filter(actsIn);
  if (systems.length === 0) return run.report();
  const live = await listLive(deps, run);
  // One that is slow must not keep the others waiting.
  await Promise.all(
    systems.map((system) =>
      run.attempt(`CI system ${system.name}`, async () => {
        const ofSystem = live.filter(({ plan }) => plan?.join?.ciSystem === system.name);
        await reconcileSystem(deps, run, system, ofSystem);
      }),
    ),
  );
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

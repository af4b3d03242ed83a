import {
  clustersOf,
  isHeld,
  type LaunchRecord,
  type LaunchStatus,
  removalBeganAtEpochMs,
} from '../../core/launch/launch-record.ts';
import type { LaunchCandidate } from './candidate.ts';
import type { NamespaceSight } from './find-objects.ts';
import { agentExited, judgeLaunch, type LaunchSights } from './judge-launch.ts';
import type { SweepDeps } from './sweep-deps.ts';
import type { SweepReport } from './sweep-report.ts';
import type { SweepRun } from './sweep-run.ts';
import type { LaunchReason } from './verdict.ts';

const notOver: readonly LaunchStatus[] = ['launching', 'connected', 'cleaning'];
const pageSize = 500;

/**
 * Lists the launches that are not over, as far as the index knows. Drops the environment and labels that callers gave:
 * they are most of a record, and there may be many records.
 *
 * @throws TransientError StoreUnavailable
 */
export async function listLaunches({ launches, nowEpochMs }: SweepDeps, run: SweepRun): Promise<LaunchRecord[]> {
  const found: LaunchRecord[] = [];
  let cursor: string | undefined;
  do {
    if (!run.mayFind()) break;
    const page = await launches.list({ statuses: notOver, limit: pageSize, ...(cursor ? { cursor } : {}) });
    for (const { env: _env, labels: _labels, ...record } of page?.launches ?? []) found.push(record);
    run.reportUnreadable(page?.unreadable ?? []);
    cursor = page?.cursor;
  } while (cursor !== undefined);
  run.seen.launches = found.length;
  if (cursor === undefined) run.inFlight = inFlightOf(found, nowEpochMs());
  return found;
}

function inFlightOf(launches: readonly LaunchRecord[], nowEpochMs: number): NonNullable<SweepReport['inFlight']> {
  const inFlight = { launching: 0, connected: 0, cleaning: 0, oldestSeconds: 0 };
  for (const record of launches) {
    if (record.status === 'failed' || record.status === 'terminated') continue;
    inFlight[record.status] += 1;
    const ageSeconds = Math.round((nowEpochMs - underWaySince(record, nowEpochMs)) / 1000);
    inFlight.oldestSeconds = Math.max(inFlight.oldestSeconds, ageSeconds);
  }
  return inFlight;
}

/**
 * A connected launch is not under way: its agent may work for days. It is under way again during its clean-up, but not
 * while its Pod is held.
 */
function underWaySince(record: LaunchRecord, nowEpochMs: number): number {
  if (record.status === 'launching') return record.requestedAtEpochMs;
  return record.ending === undefined || isHeld(record) ? nowEpochMs : removalBeganAtEpochMs(record);
}

/**
 * Finds the launches that may need an action. One list of the running executions clears most launches. The sweep reads
 * only the others one by one, when it acts on them.
 *
 * @param sights the namespaces that answered; a clean-up of a launch with objects only in other namespaces would fail
 * @throws TransientError StoreUnavailable
 */
export async function findLaunches(
  { executions, nowEpochMs }: SweepDeps,
  launches: readonly LaunchRecord[],
  sights: readonly NamespaceSight[],
  graceSeconds: number,
): Promise<LaunchCandidate[]> {
  const running = await executions.running();
  const now = nowEpochMs();
  return launches.flatMap((record) => {
    const { launchId, plan, requestedAtEpochMs } = record;
    const sight = sights.find(({ where }) => where.cluster === plan?.cluster && where.namespace === plan.namespace);
    const execution = running.has(launchId) ? ({ status: 'RUNNING' } as const) : undefined;
    const reason = reasonFor(record, { execution, agent: agentOf(record, sight) }, now, graceSeconds);
    if (reason === undefined) return [];
    if (reason === 'CleanUpUnfinished' && plan !== undefined && !sights.some((seen) => mayHaveObjectsIn(record, seen)))
      return [];
    return [{ kind: 'Launch', launchId, reason, sinceEpochMs: requestedAtEpochMs }];
  });
}

/** Says whether a launch may have objects in a namespace. */
function mayHaveObjectsIn(record: LaunchRecord, { where }: NamespaceSight): boolean {
  return where.namespace === record.plan?.namespace && clustersOf(record).includes(where.cluster);
}

function reasonFor(
  record: LaunchRecord,
  sights: LaunchSights,
  nowEpochMs: number,
  graceSeconds: number,
): LaunchReason | undefined {
  const verdict = judgeLaunch(record, sights, nowEpochMs, graceSeconds);
  if (verdict.is === 'found') return verdict.reason;
  return verdict.is === 'spared' ? agentExited : undefined;
}

function agentOf({ plan }: LaunchRecord, sight: NamespaceSight | undefined): LaunchSights['agent'] {
  if (plan === undefined || sight?.pods === undefined) return 'unknown';
  return sight.pods.get(plan.agentName) ?? 'gone';
}

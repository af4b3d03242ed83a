import { type DeliveryAttempt, type FailingDelivery, isGivenUp, noteAttempts } from '../../core/ci/failing-delivery.ts';
import type { DeliveryCursor, SeenDeliveries } from '../../core/ci/round-cursor.ts';
import type { CiSystem } from '../../ports/ci-system.ts';
import type { Allowance } from './allowance.ts';
import type { PlannedRepair } from './planned-repair.ts';
import type { RoundView } from './round-view.ts';

/** How far back davit reads when it has seen no delivery yet, in milliseconds. */
const firstReadMs = 3_600_000;

/**
 * How long after its begin an attempt may come into the list, in milliseconds: GitHub waits 10 s for an answer, and the attempt
 * that gets none is one that davit looks for.
 */
const listedLateMs = 15_000;

/** The attempts to deliver webhooks since the last round, and where the next round goes on. */
interface ReadDeliveries {
  attempts: DeliveryAttempt[];
  cursor: DeliveryCursor | undefined;
}

/**
 * Reads the CI system's list of deliveries, from the newest back to those that an earlier round has seen; also what came into
 * the list behind them. Where there is no time or budget for all of them, the next round reads only the newer ones, and then
 * goes on in the gap.
 */
export async function readDeliveries(
  ci: Pick<CiSystem, 'listDeliveries'>,
  allowance: Allowance,
  before: DeliveryCursor | undefined,
): Promise<ReadDeliveries> {
  const lateMs = before?.gap === undefined ? listedLateMs : 0;
  const newer = await readBack(ci, allowance, { until: before?.seen, lateMs });
  const seen = seenIn(newer.attempts, before?.seen);
  if (seen === undefined) return { attempts: [], cursor: undefined };
  const kept = { seen };
  // Of two gaps, the range between them is read twice: one place to go on is enough.
  const until = before?.gap?.until ?? before?.seen;
  if (newer.stoppedAt !== undefined)
    return { ...newer, cursor: { ...kept, gap: { page: newer.stoppedAt, ...(until && { until }) } } };
  if (before?.gap === undefined) return { ...newer, cursor: kept };
  const older = await readBack(ci, allowance, { from: before.gap.page, until: before.gap.until, lateMs });
  const gap = older.stoppedAt === undefined ? {} : { gap: { ...before.gap, page: older.stoppedAt } };
  return { attempts: [...newer.attempts, ...older.attempts], cursor: { ...kept, ...gap } };
}

/** Adds attempts to those that earlier rounds have seen. */
function seenIn(attempts: readonly DeliveryAttempt[], before: SeenDeliveries | undefined): SeenDeliveries | undefined {
  const newest = Math.max(before?.atEpochMs ?? 0, ...attempts.map(({ atEpochMs }) => atEpochMs));
  if (newest === 0) return undefined;
  const known = before !== undefined && before.atEpochMs >= newest - listedLateMs ? before.ids : [];
  const recent = attempts.filter(({ atEpochMs }) => atEpochMs >= newest - listedLateMs);
  return { atEpochMs: newest, ids: [...recent.map(({ id }) => id), ...known] };
}

/** @returns the attempts that were not in the list when `until` was, and the page that was not read if it was not reached */
async function readBack(
  ci: Pick<CiSystem, 'listDeliveries'>,
  allowance: Allowance,
  { from, until, lateMs }: { from?: string; until: SeenDeliveries | undefined; lateMs: number },
): Promise<{ attempts: DeliveryAttempt[]; stoppedAt?: string }> {
  const attempts: DeliveryAttempt[] = [];
  const known = new Set(until?.ids);
  for (let page = from; ; ) {
    const stopped = page === undefined ? {} : { stoppedAt: page };
    if (!(await allowance.mayAsk('deliveries'))) return { attempts, ...stopped };
    const current = page;
    const asked = await allowance.ask('the deliveries of webhooks', () => ci.listDeliveries(current));
    if (asked === undefined) return { attempts, ...stopped };
    const { attempts: some, next } = asked.answer;
    const newest = (attempts[0] ?? some[0])?.atEpochMs ?? 0;
    const sinceEpochMs = until === undefined ? newest - firstReadMs : until.atEpochMs - lateMs;
    const isOld = ({ id, atEpochMs }: DeliveryAttempt) => atEpochMs < sinceEpochMs || (lateMs === 0 && known.has(id));
    attempts.push(...some.filter((attempt) => !isOld(attempt) && !known.has(attempt.id)));
    if (next === undefined || some.some(isOld)) return { attempts };
    page = next;
  }
}

/** How many deliveries one round has repeated at most, oldest first. */
const mostRepeated = 100;

/** Plans to remember the webhooks that did not arrive, and to have those repeated whose time has come. */
export function planDeliveries({ deliveries, nowEpochMs }: RoundView): PlannedRepair[] {
  const { failing, attempts, most } = deliveries;
  const changed = noteAttempts(failing, attempts, 'workflow_job');
  const now = new Map([...failing, ...changed].map((delivery) => [delivery.guid, delivery]));
  const open = [...now.values()].filter(({ isSettled }) => isSettled !== true);
  const givenUp = open.filter((each) => isGivenUp(each, nowEpochMs)).map((each) => ({ ...each, isSettled: true }));
  const due = open
    .filter((each) => each.repeatAtEpochMs <= nowEpochMs && !isGivenUp(each, nowEpochMs))
    .toSorted((one, other) => one.firstAtEpochMs - other.firstAtEpochMs);
  return [
    ...[...changed, ...givenUp].map(track),
    ...due.slice(0, Math.min(most, mostRepeated)).map((delivery): PlannedRepair => ({ kind: 'redeliver', delivery })),
  ];
}

function track(delivery: FailingDelivery): PlannedRepair {
  return { kind: 'track', delivery };
}

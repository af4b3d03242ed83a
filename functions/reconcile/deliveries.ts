import { type DeliveryAttempt, type FailingDelivery, isGivenUp, noteAttempts } from '../../core/ci/failing-delivery.ts';
import type { DeliveryCursor } from '../../core/ci/round-cursor.ts';
import type { CiSystem } from '../../ports/ci-system.ts';
import type { Allowance } from './allowance.ts';
import type { PlannedRepair } from './planned-repair.ts';
import type { RoundView } from './round-view.ts';

/** How far back davit reads when it has seen no delivery yet, in milliseconds. */
const firstReadMs = 3_600_000;

/** The attempts to deliver webhooks since the last round, and where the next round goes on. */
export interface ReadDeliveries {
  attempts: DeliveryAttempt[];
  cursor: DeliveryCursor | undefined;
}

/**
 * Reads the CI system's list of deliveries, from the newest back to the last one that an earlier round has seen. Where there
 * is no time or budget for all of them, the next round reads the newer ones, and then goes on in the gap.
 */
export async function readDeliveries(
  ci: Pick<CiSystem, 'listDeliveries'>,
  allowance: Allowance,
  before: DeliveryCursor | undefined,
): Promise<ReadDeliveries> {
  const newer = await readBack(ci, allowance, undefined, before?.seen);
  const [newest] = newer.attempts;
  const seen = newest ?? before?.seen;
  if (seen === undefined) return { attempts: [], cursor: undefined };
  const kept = { seen: { id: seen.id, atEpochMs: seen.atEpochMs } };
  // Of two gaps, the range between them is read twice: one place to go on is enough.
  const until = before?.gap?.until ?? before?.seen;
  if (newer.stoppedAt !== undefined)
    return { ...newer, cursor: { ...kept, gap: { page: newer.stoppedAt, ...(until && { until }) } } };
  if (before?.gap === undefined) return { ...newer, cursor: kept };
  const older = await readBack(ci, allowance, before.gap.page, before.gap.until);
  const gap = older.stoppedAt === undefined ? {} : { gap: { ...before.gap, page: older.stoppedAt } };
  return { attempts: [...newer.attempts, ...older.attempts], cursor: { ...kept, ...gap } };
}

/** @returns the attempts that are newer than `until`, and the page that was not read if it was not reached */
async function readBack(
  ci: Pick<CiSystem, 'listDeliveries'>,
  allowance: Allowance,
  from: string | undefined,
  until: DeliveryCursor['seen'] | undefined,
): Promise<{ attempts: DeliveryAttempt[]; stoppedAt?: string }> {
  const attempts: DeliveryAttempt[] = [];
  for (let page = from; ; ) {
    const stopped = page === undefined ? {} : { stoppedAt: page };
    if (!(await allowance.mayAsk('deliveries'))) return { attempts, ...stopped };
    const current = page;
    const asked = await allowance.ask('the deliveries of webhooks', () => ci.listDeliveries(current));
    if (asked === undefined) return { attempts, ...stopped };
    const { attempts: some, next } = asked.answer;
    const untilEpochMs = until?.atEpochMs ?? (attempts[0] ?? some[0])?.atEpochMs ?? 0;
    const news = some.filter(({ id, atEpochMs }) =>
      until === undefined ? atEpochMs >= untilEpochMs - firstReadMs : id !== until.id && atEpochMs >= untilEpochMs,
    );
    attempts.push(...news);
    if (news.length < some.length || next === undefined) return { attempts };
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

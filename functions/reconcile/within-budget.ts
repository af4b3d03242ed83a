import { isBalanced } from '../../core/agent/pool.ts';
import { atATime, writesAtATime } from '../../core/at-a-time.ts';
import type { CiSystemConfig } from '../../core/ci/ci-system-config.ts';
import {
  addToSpent,
  defaultRateLimitShare,
  minuteRequests,
  ratePause,
  roundRequests,
} from '../../core/ci/rate-budget.ts';
import { isoTime } from '../../core/epoch-ms.ts';
import type { CiClocks } from '../../ports/ci-clocks.ts';
import { Allowance } from './allowance.ts';
import type { ReconcileDeps } from './reconcile-deps.ts';
import type { ReconcileRun } from './reconcile-run.ts';
import { RoundPace } from './round-pace.ts';

/**
 * Reconciles with a CI system if its rate limit has room for that, and counts the requests. Otherwise leaves it alone,
 * says so, and keeps the earlier looks at its pools.
 *
 * @throws what the round throws, after counting its requests
 */
export async function withinBudget(
  deps: ReconcileDeps,
  run: ReconcileRun,
  system: CiSystemConfig,
  round: (allowance: Allowance) => Promise<void>,
): Promise<void> {
  const { spending, nowEpochMs } = deps;
  const { name } = system;
  const share = ('rateLimitShare' in system ? system.rateLimitShare : undefined) ?? defaultRateLimitShare;
  const [before, asked] = await Promise.all([spending.get(name), deps.pace.pauseOf(name)]);
  const pause = ratePause(before, share, nowEpochMs()) ?? asked;
  if (pause !== undefined) {
    const why = 'reason' in pause ? pause.reason : pause.detail;
    run.fail(`CI system ${name}`, `left alone until ${isoTime(pause.untilEpochMs)}: ${why}`);
    return keepEarlierLooks(deps, name);
  }
  const ci = deps.ciSystemOf(name);
  const { requests } = ci.usage();
  try {
    const beganEpochMs = nowEpochMs();
    // The first answers of all tell the limit.
    const budget = () => {
      const spent = before ?? addToSpent(undefined, { ...ci.usage(), requests: 0 }, beganEpochMs);
      return { most: roundRequests(spent, share, beganEpochMs), ofMinute: minuteRequests(spent, share) };
    };
    await round(new Allowance(run, ci, budget, new RoundPace(deps, run, name)));
  } finally {
    const usage = ci.usage();
    const spent = addToSpent(before, { ...usage, requests: usage.requests - requests }, nowEpochMs());
    if (spent !== undefined) await spending.keep(name, spent);
    await deps.pace.heed(name, ci);
    await run.attempt(`the clock of CI system ${name}`, () => keepClock(deps.ciClocks, name, usage.clockAheadMs));
  }
}

/** A round that was not made does not age the looks: they count rounds, and not minutes. */
async function keepEarlierLooks({ jobs, nowEpochMs }: ReconcileDeps, ciSystem: string): Promise<void> {
  const now = nowEpochMs();
  const looks = [...(await jobs.readLooks(ciSystem))].filter(([, look]) => !isBalanced(look));
  await atATime(writesAtATime, looks, ([key, look]) => jobs.keepLook(ciSystem, key, { ...look, atEpochMs: now }, now));
}

/** The least change of a clock that is written, in milliseconds: answers have their time to the second, and take a moment. */
const leastChangeMs = 5000;

/** Notes how far a CI system's clock is ahead: the webhook function tells by it how old an event is. */
async function keepClock(ciClocks: CiClocks, ciSystem: string, aheadMs: number | undefined): Promise<void> {
  if (aheadMs === undefined) return;
  const before = (await ciClocks.get(ciSystem)) ?? 0;
  if (Math.abs(aheadMs - before) >= leastChangeMs) await ciClocks.keep(ciSystem, aheadMs);
}

import type { CiSystemConfig } from '../domain/ci-system-config.ts';
import { isoTime } from '../domain/epoch-ms.ts';
import { addToSpent, defaultRateLimitShare, ratePause } from '../domain/rate-budget.ts';
import type { ReconcileDeps } from './reconcile-deps.ts';
import type { ReconcileRun } from './reconcile-run.ts';

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
  round: () => Promise<void>,
): Promise<void> {
  const { spending, jobs, nowEpochMs } = deps;
  const { name } = system;
  const share = ('rateLimitShare' in system ? system.rateLimitShare : undefined) ?? defaultRateLimitShare;
  const before = await spending.get(name);
  const pause = ratePause(before, share, nowEpochMs());
  if (pause !== undefined) {
    run.fail(`CI system ${name}`, `left alone until ${isoTime(pause.untilEpochMs)}: ${pause.reason}`);
    const now = nowEpochMs();
    const looks = [...(await jobs.readLooks(name))].map(([key, look]) => [key, { ...look, atEpochMs: now }] as const);
    return jobs.keepLooks(name, new Map(looks), now);
  }
  const ci = deps.ciSystemOf(name);
  const { requests } = ci.usage();
  try {
    await round();
  } finally {
    const usage = ci.usage();
    const spent = addToSpent(before, { ...usage, requests: usage.requests - requests }, nowEpochMs());
    if (spent !== undefined) await spending.keep(name, spent);
  }
}

import type { LaunchRecord } from '../domain/launch-record.ts';
import { isSupply } from './pool-view.ts';

/** How long a launch that is retiring is left to whoever retires it, in milliseconds. */
const retiringMs = 120_000;

/** A launch to be retired, and why. */
export interface PlannedRetirement {
  launch: LaunchRecord;
  kind: 'surplus' | 'idle' | 'unfinished';
  reason: string;
}

/**
 * Chooses which agents of a pool to retire when there are more than jobs: those that have connected first, and the newest
 * of them first; then the newest that are still launching. An agent that is asked for later has more of its life ahead.
 */
export function planSurplus(idle: readonly LaunchRecord[], count: number): PlannedRetirement[] {
  return idle
    .toSorted((one, other) => rank(one) - rank(other) || other.requestedAtEpochMs - one.requestedAtEpochMs)
    .slice(0, count)
    .map((launch) => ({ launch, kind: 'surplus', reason: 'no queued job waits for its agent' }));
}

function rank({ status }: LaunchRecord): number {
  return status === 'connected' ? 0 : 1;
}

/** Finds the live launches whose agent has run nothing for too long, or whose retirement has not come to an end. */
export function planOverdue(launches: readonly LaunchRecord[], nowEpochMs: number): PlannedRetirement[] {
  return launches.flatMap((launch): PlannedRetirement[] => {
    const { runs, retiring, status, connectedAtEpochMs, plan } = launch;
    if (runs !== undefined) return [];
    if (retiring !== undefined) {
      const isOverdue = nowEpochMs - retiring.sinceEpochMs >= retiringMs;
      return isOverdue ? [{ launch, kind: 'unfinished', reason: retiring.reason }] : [];
    }
    const { idleSeconds } = plan?.join ?? {};
    if (status !== 'connected' || connectedAtEpochMs === undefined || idleSeconds === undefined) return [];
    if (nowEpochMs - connectedAtEpochMs < idleSeconds * 1000) return [];
    return [{ launch, kind: 'idle', reason: `its agent has run nothing for ${idleSeconds} s` }];
  });
}

/** Says whether a launch that is to be retired still looks as it was judged. */
export function isStillRetirable(now: LaunchRecord, { kind }: PlannedRetirement): boolean {
  return kind === 'unfinished' ? now.runs === undefined : isSupply(now);
}

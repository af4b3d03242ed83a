import { jobKeyOf } from '../../core/job/job-id.ts';
import { isStandingBy } from '../../core/launch/launch-record.ts';
import type { LaunchId } from '../../core/launch/names.ts';
import type { PlannedRepair } from './planned-repair.ts';
import type { PoolView } from './pool-view.ts';

/**
 * Plans to summon the oldest agents that stand by, for the queued jobs of their pool for which no agent is registered or
 * summoned. One look is enough: an agent that is summoned in vain is surplus. A summons by a webhook may be lost, or its agent
 * may have ended.
 *
 * @param overdue the launches that this round retires
 */
export function planSummons({ demands, idle }: PoolView, overdue: ReadonlySet<LaunchId>): PlannedRepair[] {
  const ready = idle.filter((launch) => launch.status === 'connected' && !isStandingBy(launch));
  const summonedFor = new Set(ready.flatMap(({ standby }) => standby?.summons?.jobKey ?? []));
  const standing = idle
    .filter((launch) => isStandingBy(launch) && !overdue.has(launch.launchId))
    .toSorted((one, other) => one.requestedAtEpochMs - other.requestedAtEpochMs);
  return demands
    .filter(({ job }) => !summonedFor.has(jobKeyOf(job)))
    .slice(0, Math.max(0, demands.length - ready.length))
    .flatMap(({ job }, index): PlannedRepair[] => {
      const launch = standing[index];
      return launch === undefined ? [] : [{ kind: 'summon', job, launch }];
    });
}

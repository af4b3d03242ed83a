import type { CiRunner } from '../../core/ci/ci-scope.ts';
import { isLive, type LaunchRecord } from '../../core/launch/launch-record.ts';
import { launchIdOfAgent } from '../../core/launch/names.ts';
import { agentNameOfRunner } from '../../core/launch/runner-names.ts';
import type { NamedRunner, PlannedRepair } from './planned-repair.ts';
import type { RoundView } from './round-view.ts';

/** How long a registration, or the end of a launch, is left to the function that works on it, in milliseconds. */
const underWayMs = 120_000;

/** Finds the launches of runners. Leaves out a runner that belongs to no agent of this installation. */
export function namedRunners(installationId: string, runners: readonly CiRunner[]): NamedRunner[] {
  return runners.flatMap((runner) => {
    const agentName = agentNameOfRunner(installationId, runner.name);
    return agentName === undefined ? [] : [{ runner, launchId: launchIdOfAgent(agentName) }];
  });
}

/**
 * Says whether a runner belongs to no present or future agent: its launch is unknown, or has been over for a while, or
 * is registered as another runner and is not about to register again.
 *
 * @param record of the runner's launch, read after the runner
 */
export function isOrphan({ runner }: NamedRunner, record: LaunchRecord | undefined, nowEpochMs: number): boolean {
  if (record === undefined) return true;
  if (!isLive(record)) return nowEpochMs - (record.ending?.atEpochMs ?? record.requestedAtEpochMs) >= underWayMs;
  if (record.runner?.id === runner.id) return false;
  const begunAtEpochMs = record.registration?.begunAtEpochMs ?? record.requestedAtEpochMs;
  return nowEpochMs - begunAtEpochMs >= underWayMs;
}

/** Plans to remove the runners that belong to no agent, all of them together: each removal waits for the CI system. */
export function planOrphans({ runners, installationId, launches, nowEpochMs }: RoundView): PlannedRepair[] {
  const orphans = runners.flatMap(({ runner, scope }) =>
    namedRunners(installationId, [runner])
      .filter(({ launchId }) => !launches.unread.has(launchId))
      .filter((named) => isOrphan(named, launches.records.get(named.launchId), nowEpochMs))
      .map((named) => ({ ...named, scope })),
  );
  return orphans.length === 0 ? [] : [{ kind: 'unregister', runners: orphans }];
}

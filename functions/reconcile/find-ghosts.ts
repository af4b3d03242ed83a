import type { CiRunner } from '../../core/ci/ci-scope.ts';
import { isLive, type LaunchRecord } from '../../core/launch/launch-record.ts';
import { type LaunchId, launchIdOfAgent } from '../../core/launch/names.ts';
import { agentNameOfRunner } from '../../core/launch/runner-names.ts';

/** How long a registration, or the end of a launch, is left to the function that works on it, in milliseconds. */
const underWayMs = 120_000;

/** A runner with a name of davit's, and the launch in that name. */
export interface NamedRunner {
  runner: CiRunner;
  launchId: LaunchId;
}

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
export function isGhost({ runner }: NamedRunner, record: LaunchRecord | undefined, nowEpochMs: number): boolean {
  if (record === undefined) return true;
  if (!isLive(record)) return nowEpochMs - (record.ending?.atEpochMs ?? record.requestedAtEpochMs) >= underWayMs;
  if (record.runner?.id === runner.id) return false;
  const begunAtEpochMs = record.registration?.begunAtEpochMs ?? record.requestedAtEpochMs;
  return nowEpochMs - begunAtEpochMs >= underWayMs;
}

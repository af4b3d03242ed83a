import type { CiSystemConfig } from '../../core/ci/ci-system-config.ts';
import type { LaunchRecord } from '../../core/launch/launch-record.ts';
import { readCi } from './read-ci.ts';
import { readJobs } from './read-jobs.ts';
import { readLaunches } from './read-launches.ts';
import { readWarm } from './read-warm.ts';
import type { ReconcileRun } from './reconcile-run.ts';
import type { RoundDeps } from './round-deps.ts';
import type { RoundView } from './round-view.ts';
import { warmPoolsOf } from './warm-pools.ts';

/**
 * Reads everything that a round needs to decide about one CI system, and writes nothing.
 *
 * @param indexed the live launches of this CI system, as the index has them
 * @throws TransientError, TerminalError when the CI system or a table did not answer; the next round does the rest
 */
export async function gatherRound(
  deps: RoundDeps,
  run: ReconcileRun,
  system: CiSystemConfig,
  indexed: readonly LaunchRecord[],
): Promise<RoundView> {
  const { profiles, agentLimits, installationId } = deps;
  const ci = deps.ciSystemOf(system.name);
  const places = await deps.jobs.listPlaces(system.name, deps.nowEpochMs());
  const waiting = await run.attempt('jobs that wait for slots', () => deps.waiting.atFirst());
  const queued = await deps.jobs.listWaiting(system.name);
  const listedAtEpochMs = deps.nowEpochMs();
  const warmScopes = warmPoolsOf(deps, system).map(({ join }) => join.scope);
  const sight = await readCi(ci, { system, profiles, places, launches: indexed, warmScopes, installationId }, run);
  const jobs = await readJobs(deps, run, ci, {
    listed: sight.jobs,
    waiting: queued,
    live: indexed,
    isShown: ({ repository }) => !sight.isHidden({ repository }),
  });
  const looks = await deps.jobs.readLooks(system.name);
  const warm = await readWarm(deps, system, looks, indexed);
  const latestWarm = [...warm.latest.values()].flatMap(({ records }) => records);
  const launches = await readLaunches(deps, run, ci, {
    jobs,
    runners: sight.runners,
    indexed: [...indexed, ...latestWarm].map(({ launchId }) => launchId),
    listedAtEpochMs,
  });
  return {
    system,
    profiles,
    agentLimits,
    installationId,
    nowEpochMs: deps.nowEpochMs(),
    listedAtEpochMs,
    isHidden: sight.isHidden,
    jobs,
    launches,
    runners: sight.runners,
    failedDeliveries: sight.failedDeliveries,
    looks,
    waiting: waiting ?? [],
    warm,
    lost: (await run.attempt('lost jobs', () => deps.lost.listWaiting(system.name))) ?? [],
    told: (await run.attempt('the reports of waiting jobs', () => deps.told.listPending(system.name))) ?? new Map(),
  };
}

import type { CiSystemConfig } from '../../core/ci/ci-system-config.ts';
import type { RoundCursor } from '../../core/ci/round-cursor.ts';
import type { LaunchRecord } from '../../core/launch/launch-record.ts';
import { present } from '../../core/present.ts';
import type { Allowance } from './allowance.ts';
import { readDeliveries } from './deliveries.ts';
import { readCi } from './read-ci.ts';
import { doubtedSince, readJobs } from './read-jobs.ts';
import { readLaunches } from './read-launches.ts';
import { readWarm } from './read-warm.ts';
import type { RoundDeps } from './reconcile-deps.ts';
import type { ReconcileRun } from './reconcile-run.ts';
import type { RoundView } from './round-view.ts';
import { warmPoolsOf } from './warm-pools.ts';

/** What a round has read, and where the next one goes on. */
interface GatheredRound {
  view: RoundView;
  cursor: RoundCursor;
}

/**
 * Reads what a round needs to decide about one CI system, as far as there is time and budget, and writes nothing. What the
 * CI system does not answer is unknown, and is asked for by a later round.
 *
 * @param indexed the live launches of this CI system, as the index has them
 * @throws TransientError StoreUnavailable when a table did not answer; the next round does the rest
 */
export async function gatherRound(
  deps: RoundDeps,
  run: ReconcileRun,
  system: CiSystemConfig,
  indexed: readonly LaunchRecord[],
  allowance: Allowance,
): Promise<GatheredRound> {
  const { profiles, agentLimits, installationId } = deps;
  const ci = deps.ciSystemOf(system.name);
  const repositories = await deps.jobs.listRepositories(system.name, deps.nowEpochMs());
  const cursor = await deps.cursors.get(system.name);
  const waiting = await run.attempt('jobs that wait for slots', () => deps.waiting.atFirst());
  const queued = await deps.jobs.listWaiting(system.name);
  const listedAtEpochMs = deps.nowEpochMs();
  const deliveries = await readDeliveries(ci, allowance, cursor?.deliveries);
  const warmScopes = warmPoolsOf(deps, system).map(({ join }) => join.scope);
  const sight = await readCi(
    ci,
    {
      system,
      profiles,
      repositories,
      launches: indexed,
      warmScopes,
      installationId,
      cursor,
      hasDeliveries: deliveries.cursor !== undefined && deliveries.cursor.gap === undefined,
      nowEpochMs: listedAtEpochMs,
    },
    run,
    allowance,
  );
  const jobs = await readJobs(deps, run, ci, allowance, { sight, waiting: queued, live: indexed, cursor });
  const looks = await deps.jobs.readLooks(system.name);
  const warm = await readWarm(deps, system, looks, indexed);
  const latestWarm = [...warm.latest.values()].flatMap(({ records }) => records);
  const launches = await readLaunches(deps, run, ci, allowance, {
    jobs,
    runners: sight.runners,
    indexed: [...indexed, ...latestWarm].map(({ launchId }) => launchId),
    listedAtEpochMs,
    after: cursor?.runners,
  });
  const nowEpochMs = deps.nowEpochMs();
  const view: RoundView = {
    system,
    profiles,
    agentLimits,
    installationId,
    nowEpochMs,
    listedAtEpochMs,
    isLeftAlone: (scope) => allowance.isSilent || sight.isHidden(scope) || sight.isSilent(scope),
    jobs: doubtedSince(jobs, launches),
    launches,
    runners: sight.runners,
    deliveries: {
      failing: await deps.failingDeliveries.list(system.name),
      attempts: deliveries.attempts,
      most: allowance.writes,
    },
    looks,
    waiting: waiting ?? [],
    warm,
    lost: (await run.attempt('lost jobs', () => deps.lost.listWaiting(system.name))) ?? [],
    told: (await run.attempt('the reports of waiting jobs', () => deps.told.listPending(system.name))) ?? new Map(),
  };
  // Leaves out the lists that the round has read to their ends.
  const turns = present({ ...sight.cursor, ...jobs.next, runners: launches.next, deliveries: deliveries.cursor });
  return { view, cursor: { ...turns, atEpochMs: nowEpochMs } };
}

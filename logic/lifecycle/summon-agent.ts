import { poolKeyOf } from '../../core/agent/pool.ts';
import type { Join } from '../../core/ci/join.ts';
import { TransientError } from '../../core/errors/errors.ts';
import type { LaunchId } from '../../core/launch/names.ts';
import type { Launches } from '../../ports/launches.ts';
import type { Registrations } from '../../ports/registrations.ts';

interface SummonDeps {
  launches: Pick<Launches, 'listStandby'>;
  registrations: Pick<Registrations, 'summon'>;
  nowEpochMs: () => number;
}

/** How many agents a job tries: others may be about to get the oldest ones. */
const mostTries = 10;

/**
 * Summons the oldest agent of a pool that stands by, for a job. A summons that comes to nothing loses nothing: the job has
 * a launch of its own, or waits for one, and reconciling summons again. So a table that does not answer is no error.
 *
 * @param join how an agent of the job's own would join its CI system; reads nothing if its pool has no warm agents
 * @param jobKey by `jobKeyOf`
 * @returns the launch whose agent it is, if there is one
 */
export async function summonAgent(
  { launches, registrations, nowEpochMs }: SummonDeps,
  join: Join,
  jobKey: string,
): Promise<LaunchId | undefined> {
  if (join.standsBy !== true) return undefined;
  try {
    for (const launchId of await launches.listStandby(poolKeyOf(join), mostTries))
      if (await registrations.summon(launchId, jobKey, nowEpochMs())) return launchId;
  } catch (error) {
    if (!(error instanceof TransientError)) throw error;
  }
  return undefined;
}

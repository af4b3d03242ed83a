import type { CiSystemConfig } from '../domain/ci-system-config.ts';
import { jobKeyOf } from '../domain/job-record.ts';
import type { Join } from '../domain/join.ts';
import { joinOf } from '../domain/join-of.ts';
import type { WaitingForSlot } from '../launch-lifecycle/admit-waiting.ts';
import { atATime, writesAtATime } from './at-a-time.ts';
import type { CiSight } from './read-ci.ts';
import type { ReconcileRun } from './reconcile-run.ts';
import type { RoundDeps } from './waiting-list.ts';

/** How many of them one look keeps in mind, oldest jobs first: all looks at a CI system are one item of a table. */
const mostUnlisted = 500;

/** A job that waits for a slot, and how its agent would join the CI system that does not list the job. */
export type UnlistedJob = WaitingForSlot & { join: Join };

/**
 * Finds the jobs that wait for slots, and that their CI system does not list although davit asked for their repositories.
 * Only those whose agents davit registers: reconciling gives them their places back if the CI system lists them later.
 *
 * @param waiting read before the CI system was asked
 */
export function unlistedOf(
  { name }: Pick<CiSystemConfig, 'name'>,
  waiting: readonly WaitingForSlot[],
  { jobs, isAsked }: CiSight,
): UnlistedJob[] {
  const listed = new Set(jobs.map(jobKeyOf));
  return waiting
    .flatMap((each): UnlistedJob[] => {
      const { job, jobKey, system, profile, size } = each;
      const join = joinOf(system, profile, job, size);
      const isListed = system.name !== name || listed.has(jobKey) || !isAsked(job.repository);
      return join === undefined || isListed ? [] : [{ ...each, join }];
    })
    .toSorted((one, other) => one.queuedAtEpochMs - other.queuedAtEpochMs)
    .slice(0, mostUnlisted);
}

/**
 * Ends the wait of jobs that two looks did not find: their `completed` was lost, and each would get a slot, and an agent
 * that is surplus. Such a job can still wait again: if its CI system lists it, or sends its `queued` again.
 */
export async function forgetUnlisted(
  { jobs, waiting }: RoundDeps,
  run: ReconcileRun,
  gone: readonly UnlistedJob[],
): Promise<void> {
  const reason = 'two looks at its CI system did not find it: it is over, or hidden';
  await atATime(writesAtATime, gone, async ({ job, jobKey }) => {
    if (!run.mayBegin()) return;
    await run.attempt(`job ${jobKey}`, async () => {
      await jobs.noteLimited(job, job.launches, undefined, reason);
      waiting.hasChanged();
      run.repair({ ciSystem: job.ciSystem, repair: 'CompletionMissed', subject: jobKey, reason });
    });
  });
}

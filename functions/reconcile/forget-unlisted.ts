import type { CiSystemConfig } from '../../core/ci/ci-system-config.ts';
import type { Join } from '../../core/ci/join.ts';
import { joinOf } from '../../core/ci/join-of.ts';
import { jobKeyOf } from '../../core/job/job-id.ts';
import type { JobRecord } from '../../core/job/job-record.ts';
import type { WaitingForSlot } from '../../logic/lifecycle/admit-waiting.ts';
import { atATime, writesAtATime } from './at-a-time.ts';
import type { ReconcileRun } from './reconcile-run.ts';
import type { RoundDeps } from './waiting-list.ts';

/** A job that waits for a slot, and how its agent would join the CI system that does not show the job. */
export type UnlistedJob = WaitingForSlot & { join: Join };

/**
 * Finds the jobs that wait for slots, and whose repository their CI system hides, or has no more. Only those whose agents
 * davit registers: reconciling gives them their places back if the CI system lists them later.
 */
export function unlistedOf(
  { name }: Pick<CiSystemConfig, 'name'>,
  waiting: readonly WaitingForSlot[],
  hidden: readonly JobRecord[],
): UnlistedJob[] {
  const isHidden = new Set(hidden.map(jobKeyOf));
  return waiting
    .flatMap((each): UnlistedJob[] => {
      const { job, jobKey, system, profile, size } = each;
      const join = joinOf(system, profile, job, size);
      return join === undefined || system.name !== name || !isHidden.has(jobKey) ? [] : [{ ...each, join }];
    })
    .toSorted((one, other) => one.queuedAtEpochMs - other.queuedAtEpochMs);
}

/**
 * Ends the wait of jobs whose repository was hidden in two looks: each would get a slot, and an agent that is surplus.
 * Such a job can still wait again: if its CI system lists it, or sends its `queued` again.
 */
export async function forgetUnlisted(
  { jobs, waiting }: RoundDeps,
  run: ReconcileRun,
  gone: readonly UnlistedJob[],
): Promise<void> {
  const reason = 'its CI system showed no such repository in two looks: it was deleted, or is hidden';
  await atATime(writesAtATime, gone, async ({ job, jobKey }) => {
    if (!run.mayBegin()) return;
    await run.attempt(`job ${jobKey}`, async () => {
      await jobs.noteLimited(job, job.launches, undefined, reason);
      waiting.hasChanged();
      run.repair({ ciSystem: job.ciSystem, repair: 'CompletionMissed', subject: jobKey, reason });
    });
  });
}

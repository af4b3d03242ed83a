import { type LostJob, lostJobMaxAgeMs } from '../../core/job/lost-job.ts';
import type { LostJobClaim } from '../../ports/lost-jobs.ts';
import type { ReconcileDeps } from './reconcile-deps.ts';
import type { ReconcileRun } from './reconcile-run.ts';

/**
 * How long a reconcile's claim on lost jobs lasts: it lives for a minute, its last request may be on the way for another
 * one, and clocks differ.
 */
const claimMs = 3 * 60_000;

/**
 * Runs lost jobs of one run again, once, after infrastructure took their agents. A CI system notices a lost agent only after
 * a while, and repeats no job of an unfinished run. So davit remembers a lost job until the CI system accepts the request.
 *
 * Of two reconciles at once only one asks: the other one may have seen the lost attempt as the latest, and its request may
 * arrive when a short re-run is over already. After a request whose outcome is unknown, nobody asks until it has arrived.
 */
export async function rerunLost(deps: ReconcileDeps, run: ReconcileRun, ofRun: readonly LostJob[]): Promise<void> {
  const isOld = ({ lostAtEpochMs }: LostJob) => deps.nowEpochMs() - lostAtEpochMs > lostJobMaxAgeMs;
  for (const lost of ofRun.filter(isOld)) await deps.lost.settle(lost, 'expired');
  const jobs = ofRun.filter((lost) => !isOld(lost));
  const [first] = jobs;
  if (first === undefined) return;
  const { repository, runId } = first;
  const claim = claimAt(deps);
  const wanted = jobs.map(({ jobId: id, attempt }) => ({ id, attempt }));
  const ci = deps.ciSystemOf(first.ciSystem);
  const again = (await claimAll(deps, jobs, claim)) ? await ci.rerunFailed(repository, runId, wanted) : 'claimed';
  if (typeof again === 'string') return releaseAll(deps, jobs, claim);
  for (const lost of jobs) {
    const { ciSystem, jobKey: subject, reason } = lost;
    const isAsked = again.includes(lost.jobId);
    await deps.lost.settle(lost, isAsked ? 'asked' : 'unneeded');
    if (isAsked) run.repair({ ciSystem, repair: 'JobRerun', subject, reason });
  }
}

function claimAt({ newNonce, nowEpochMs }: ReconcileDeps): LostJobClaim {
  const atEpochMs = nowEpochMs();
  return { by: newNonce(), atEpochMs, untilEpochMs: atEpochMs + claimMs };
}

/** Claims one after the other, so that one of two rivals gets all of them. @returns whether it has all of them */
async function claimAll({ lost }: ReconcileDeps, jobs: readonly LostJob[], claim: LostJobClaim): Promise<boolean> {
  for (const job of jobs) if (!(await lost.claim(job, claim))) return false;
  return true;
}

/** The next reconcile may ask at once, because this one has asked for nothing. */
async function releaseAll({ lost }: ReconcileDeps, jobs: readonly LostJob[], claim: LostJobClaim): Promise<void> {
  for (const job of jobs) await lost.release(job, claim);
}

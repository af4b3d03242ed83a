import type { CiSystemConfig } from '../../core/ci/ci-system-config.ts';
import type { JobRecord } from '../../core/job/job-record.ts';
import { type LostJob, lostJobMaxAgeMs, lostJobOf } from '../../core/job/lost-job.ts';
import type { LaunchId } from '../../core/launch/names.ts';
import type { CiSystem } from '../../ports/ci-system.ts';
import type { LostJobClaim } from '../../ports/lost-jobs.ts';
import type { ReconcileDeps } from './reconcile-deps.ts';
import type { ReconcileRun } from './reconcile-run.ts';

/** A CI system's jobs as davit saw them. */
export interface SeenRunning {
  /** The records of the listed jobs. */
  known: readonly JobRecord[];
  /** The ids of the live launches. */
  live: ReadonlySet<LaunchId>;
  /** When davit asked the CI system. */
  listedAtEpochMs: number;
}

/**
 * How long a reconcile's claim on lost jobs lasts: it lives for a minute, its last request may be on the way for another
 * one, and clocks differ.
 */
const claimMs = 3 * 60_000;

/**
 * Runs jobs again, once, after infrastructure took their agents. A CI system notices a lost agent only after a while,
 * and repeats no job of an unfinished run. So davit remembers a lost job until the CI system accepts the request. A node
 * takes several jobs of one run: davit asks for all of them at once, because they become another attempt together.
 *
 * Of two reconciles at once only one asks: the other one may have seen the lost attempt as the latest, and its request may
 * arrive when a short re-run is over already. After a request whose outcome is unknown, nobody asks until it has arrived.
 */
export async function rerunLost(
  deps: ReconcileDeps,
  run: ReconcileRun,
  { name }: Pick<CiSystemConfig, 'name'>,
  { known, live, listedAtEpochMs }: SeenRunning,
): Promise<void> {
  await noteLost(deps, run, { known, live, listedAtEpochMs });
  const ci = deps.ciSystemOf(name);
  const waiting = await deps.lost.listWaiting(name);
  for (const ofRun of Map.groupBy(waiting, ({ repositoryId, runId }) => `${repositoryId}/${runId}`).values()) {
    if (!run.mayBegin()) break;
    await run.attempt(`lost job ${ofRun[0]?.jobKey}`, () => rerun(deps, run, ci, ofRun));
  }
}

async function noteLost(
  deps: ReconcileDeps,
  run: ReconcileRun,
  { known, live, listedAtEpochMs }: SeenRunning,
): Promise<void> {
  const running = known.filter(
    ({ status, ranBy }) => status === 'in_progress' && ranBy !== undefined && !live.has(ranBy),
  );
  const { records } = await deps.launches.getMany(running.flatMap(({ ranBy }) => ranBy ?? []));
  for (const job of running) {
    const launch = records.get(job.ranBy ?? '');
    const lost = launch && lostJobOf(job, launch, listedAtEpochMs);
    if (lost !== undefined) await run.attempt(`lost job ${lost.jobKey}`, () => deps.lost.note(lost));
  }
}

async function rerun(deps: ReconcileDeps, run: ReconcileRun, ci: CiSystem, ofRun: readonly LostJob[]): Promise<void> {
  const isOld = ({ lostAtEpochMs }: LostJob) => deps.nowEpochMs() - lostAtEpochMs > lostJobMaxAgeMs;
  for (const lost of ofRun.filter(isOld)) await deps.lost.settle(lost, 'expired');
  const jobs = ofRun.filter((lost) => !isOld(lost));
  const [first] = jobs;
  if (first === undefined) return;
  const { repository, runId } = first;
  const claim = claimAt(deps);
  const again = (await claimAll(deps, jobs, claim))
    ? await ci.rerunFailed(
        repository,
        runId,
        jobs.map(({ jobId: id, attempt }) => ({ id, attempt })),
      )
    : 'claimed';
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

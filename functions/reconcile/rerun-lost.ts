import type { CiSystemConfig } from '../domain/ci-system-config.ts';
import type { JobRecord } from '../domain/job-record.ts';
import { type LostJob, lostJobMaxAgeMs, lostJobOf } from '../domain/lost-job.ts';
import type { LaunchId } from '../domain/names.ts';
import type { CiSystem } from '../ports/ci-system.ts';
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
 * Runs jobs again, once, after infrastructure took their agents. A CI system notices a lost agent only after a while,
 * and repeats no job of an unfinished run. So davit remembers a lost job until the CI system accepts the request. A node
 * takes several jobs of one run: davit asks for all of them at once, because they become another attempt together.
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
  const again = await ci.rerunFailed(
    repository,
    runId,
    jobs.map(({ jobId: id, attempt }) => ({ id, attempt })),
  );
  if (again === 'running') return;
  for (const lost of jobs) {
    const { ciSystem, jobKey: subject, reason } = lost;
    const isAsked = again.includes(lost.jobId);
    await deps.lost.settle(lost, isAsked ? 'asked' : 'unneeded');
    if (isAsked) run.repair({ ciSystem, repair: 'JobRerun', subject, reason });
  }
}

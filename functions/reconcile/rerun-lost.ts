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
 * and repeats no job of an unfinished run. So davit remembers a lost job until the CI system accepts the request.
 */
export async function rerunLost(
  deps: ReconcileDeps,
  run: ReconcileRun,
  { name }: Pick<CiSystemConfig, 'name'>,
  { known, live, listedAtEpochMs }: SeenRunning,
): Promise<void> {
  await noteLost(deps, run, { known, live, listedAtEpochMs });
  const ci = deps.ciSystemOf(name);
  for (const lost of await deps.lost.listWaiting(name)) {
    if (!run.mayBegin()) break;
    await run.attempt(`lost job ${lost.jobKey}`, () => rerun(deps, run, ci, lost));
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

async function rerun(deps: ReconcileDeps, run: ReconcileRun, ci: CiSystem, lost: LostJob): Promise<void> {
  const { ciSystem, jobKey: subject, repository, jobId: id, runId, attempt, reason } = lost;
  if (deps.nowEpochMs() - lost.lostAtEpochMs > lostJobMaxAgeMs) return deps.lost.settle(lost, 'expired');
  const answer = await ci.rerunJob(repository, { id, runId, attempt });
  if (answer === 'running') return;
  await deps.lost.settle(lost, answer);
  if (answer === 'asked') run.repair({ ciSystem, repair: 'JobRerun', subject, reason });
}

import type { CiSystemConfig } from '../../core/ci/ci-system-config.ts';
import { type CommitReport, settledReport, waitingReport } from '../../core/job/commit-report.ts';
import { jobKeyOf } from '../../core/job/job-id.ts';
import type { JobRecord, SeenJob } from '../../core/job/job-record.ts';
import { latestLaunchesOf } from '../../core/job/job-tries.ts';
import type { Demand } from './pool-view.ts';
import type { ReconcileDeps } from './reconcile-deps.ts';
import type { ReconcileRun } from './reconcile-run.ts';

/** How many reports one reconcile requests, oldest jobs first; the next one requests the others. */
const mostReports = 20;

/** A CI system's jobs as davit saw them. */
export interface SeenJobs {
  /** The CI system's own list. */
  listed: readonly SeenJob[];
  /** Their records, as far as davit could note them, and those of other jobs that are not over. */
  known: readonly JobRecord[];
  /** The jobs that may wait, too. */
  unknown: readonly JobRecord[];
  /** The queued ones among them that a profile takes, oldest first. */
  demands: readonly Demand[];
}

/**
 * Reports on the CI system's pages why jobs wait for an agent, and withdraws each report when its job no longer waits.
 * Requests only reports that are not there yet.
 */
export async function tellWaiting(
  deps: ReconcileDeps,
  run: ReconcileRun,
  { name }: Pick<CiSystemConfig, 'name'>,
  seen: SeenJobs,
): Promise<void> {
  const told = await deps.told.listPending(name);
  const waiting = await waitingReports(deps, seen.demands);
  const reports = [...settledReports(deps, told, seen), ...waiting.filter((report) => isNews(report, told))];
  for (const report of reports.slice(0, mostReports)) {
    if (!run.mayBegin()) break;
    await run.attempt(`the report of job ${report.jobKey}`, () => deps.commitReports.request(report));
  }
}

function isNews({ jobKey, description, sha }: CommitReport, told: ReadonlyMap<string, CommitReport>): boolean {
  const before = told.get(jobKey);
  return before?.description !== description || before.sha !== sha;
}

async function waitingReports(
  { launches, nowEpochMs }: ReconcileDeps,
  demands: readonly Demand[],
): Promise<CommitReport[]> {
  const telling = demands.filter(({ profile }) => profile.tellAfterSeconds !== undefined);
  const { records } = await launches.getMany(telling.flatMap(({ job }) => latestLaunchesOf(job)));
  const now = nowEpochMs();
  return telling.flatMap(({ job, profile: { tellAfterSeconds = Infinity } }) => {
    const latest = latestLaunchesOf(job).flatMap((launchId) => records.get(launchId) ?? []);
    return waitingReport(job, latest, tellAfterSeconds, now) ?? [];
  });
}

/** A job that is listed as queued still waits, unless its record says otherwise: a list may be older than an event. */
function settledReports(
  { nowEpochMs }: ReconcileDeps,
  told: ReadonlyMap<string, CommitReport>,
  { listed, known, unknown }: SeenJobs,
): CommitReport[] {
  const mayWait = new Set(unknown.map(jobKeyOf));
  const statuses = new Map(listed.map((job) => [jobKeyOf(job), job.status]));
  for (const job of known) statuses.set(jobKeyOf(job), job.status);
  return [...told.values()].flatMap((report) => {
    const status = statuses.get(report.jobKey);
    return status === 'queued' || mayWait.has(report.jobKey)
      ? []
      : [settledReport(report, status === 'in_progress', nowEpochMs())];
  });
}

import { type CommitReport, settledReport, waitingReport } from '../../core/job/commit-report.ts';
import { jobKeyOf } from '../../core/job/job-id.ts';
import { latestLaunchesOf } from '../../core/job/job-tries.ts';
import type { Demand } from './pool-view.ts';
import type { RoundView } from './round-view.ts';

/** How many reports one reconcile requests, oldest jobs first; the next one requests the others. */
const mostReports = 20;

/**
 * Plans the reports on the CI system's pages that say why jobs wait for an agent, and withdraws each report when its job no
 * longer waits. Plans only reports that are not there yet.
 *
 * @param demands the queued jobs that a profile takes, oldest first
 */
export function planReports(view: RoundView, demands: readonly Demand[]): CommitReport[] {
  const news = waitingReports(view, demands).filter((report) => isNews(report, view.told));
  return [...settledReports(view), ...news].slice(0, mostReports);
}

function isNews({ jobKey, description, sha }: CommitReport, told: RoundView['told']): boolean {
  const before = told.get(jobKey);
  return before?.description !== description || before.sha !== sha;
}

function waitingReports({ launches, nowEpochMs }: RoundView, demands: readonly Demand[]): CommitReport[] {
  return demands.flatMap(({ job, profile: { tellAfterSeconds } }) => {
    if (tellAfterSeconds === undefined) return [];
    const latest = latestLaunchesOf(job).flatMap((launchId) => launches.records.get(launchId) ?? []);
    return waitingReport(job, latest, tellAfterSeconds, nowEpochMs) ?? [];
  });
}

/** A job that is listed as queued still waits, unless its record says otherwise: a list may be older than an event. */
function settledReports({ told, jobs, nowEpochMs }: RoundView): CommitReport[] {
  const mayWait = new Set(jobs.unknown.map(jobKeyOf));
  const statuses = new Map(jobs.open.map((job) => [jobKeyOf(job), job.status]));
  return [...told.values()].flatMap((report) => {
    const status = statuses.get(report.jobKey);
    return status === 'queued' || mayWait.has(report.jobKey)
      ? []
      : [settledReport(report, status === 'in_progress', nowEpochMs)];
  });
}

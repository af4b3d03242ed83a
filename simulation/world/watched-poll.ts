import type { CiSystemConfig } from '../../core/ci/ci-system-config.ts';
import type { PollCiReport } from '../../functions/poll-ci/poll-ci.ts';
import { keyOf } from '../../logic/polling/request-job.ts';
import type { CiSystem } from '../../ports/ci-system.ts';
import type { Davit, SimulatedDeps } from './davit.ts';
import type { History } from './history.ts';
import type { JobsTable } from './jobs-table.ts';

/** The queue, davit's records of its jobs, and the history that the judge reads. */
export interface WatchedWorld {
  system: CiSystemConfig;
  jobs: JobsTable;
  history: History;
}

/**
 * Polls as the schedule does. Notes the jobs that a poll saw in the queue, and for which davit has neither requested an agent
 * at its end nor said why not. A run with an error may leave such a job to the next one.
 */
export async function watchedPoll(
  { system, jobs, history }: WatchedWorld,
  logic: Davit,
  deps: SimulatedDeps,
): Promise<PollCiReport> {
  const seen = new Set<string>();
  const watched = (ci: CiSystem): CiSystem => ({
    ...ci,
    listJobs: async (scope, statuses) => {
      const listed = await ci.listJobs(scope, statuses);
      for (const job of listed ?? []) if (job.status === 'queued') seen.add(keyOf(system, job));
      return listed;
    },
  });
  const report = await logic.pollCi({ ...deps, ciSystemOf: (name) => watched(deps.ciSystemOf(name)) }, {});
  if (report.errors.length > 0) return report;
  for (const key of seen) {
    const record = jobs.get(key);
    if (record?.status !== 'queued' || record.launches > 0) continue;
    const isTold = record.notLaunched !== undefined || record.limitedBy !== undefined;
    if (!isTold) history.add({ kind: 'leftUnasked', jobKey: key });
  }
  return report;
}

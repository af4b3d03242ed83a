import { jobKeyOf, type SeenJob } from '../domain/job-record.ts';
import type { LaunchRecord } from '../domain/launch-record.ts';
import { launchIdOfAgent } from '../domain/names.ts';
import { agentNameOfRunner } from '../domain/runner-names.ts';
import type { Jobs } from '../ports/jobs.ts';
import type { Registrations } from '../ports/registrations.ts';

/** What binding a job needs. */
export interface BindJobDeps {
  jobs: Pick<Jobs, 'noteRanBy'>;
  registrations: Pick<Registrations, 'bind'>;
  /** Begins the names of all runners of this davit, see `runnerPrefixOf`. */
  installationId: string;
  nowEpochMs: () => number;
}

/**
 * Finds the launch whose agent runs or ran the job, and writes into both records that they belong together: by the
 * runner's name and by the id that the launch's record has, because anybody can give a runner any name.
 *
 * @returns undefined for a job that runs on no agent of this davit
 * @throws TransientError StoreUnavailable
 */
export async function bindJob(deps: BindJobDeps, seen: SeenJob): Promise<LaunchRecord | undefined> {
  const { runner } = seen;
  const agentName = runner && agentNameOfRunner(deps.installationId, runner.name);
  if (runner === undefined || agentName === undefined) return undefined;
  const jobKey = jobKeyOf(seen);
  const launchId = launchIdOfAgent(agentName);
  const launch = await deps.registrations.bind(launchId, runner.id, jobKey, deps.nowEpochMs());
  if (launch?.runs?.jobKey !== jobKey) return undefined;
  await deps.jobs.noteRanBy(seen, launchId);
  return launch;
}

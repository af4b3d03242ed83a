import type { CiRunner } from '../../core/ci/ci-scope.ts';
import type { LaunchRecord } from '../../core/launch/launch-record.ts';
import { launchIdOfAgent } from '../../core/launch/names.ts';
import { agentNameOfRunner } from '../../core/launch/runner-names.ts';
import type { ListedRunner } from '../../ports/ci-system.ts';
import type { PollDeps } from './poll-deps.ts';

/** A launch whose agent is registered as a runner. */
export interface RunnerLaunch {
  runner: CiRunner;
  launch: LaunchRecord;
}

/**
 * Reads the launches of runners.
 *
 * @param runners this davit's
 * @throws TransientError StoreUnavailable
 */
export async function runnerLaunches(
  { installationId, launches }: Pick<PollDeps, 'installationId' | 'launches'>,
  runners: readonly ListedRunner[],
): Promise<RunnerLaunch[]> {
  const named = runners.flatMap(({ id, name }) => {
    const agentName = agentNameOfRunner(installationId, name);
    return agentName === undefined ? [] : [{ runner: { id, name }, launchId: launchIdOfAgent(agentName) }];
  });
  if (named.length === 0) return [];
  const { records } = await launches.getMany(named.map(({ launchId }) => launchId));
  return named.flatMap(({ runner, launchId }) => {
    const launch = records.get(launchId);
    return launch?.runner?.id === runner.id ? [{ runner, launch }] : [];
  });
}

/** A job that an agent has got. */
export interface BoundRunner {
  jobKey: string;
  runner: CiRunner;
  /** The job's URL: all parts of a pipeline have that of their build. */
  url: string | undefined;
}

/** Reads which jobs the agents of runners have got. The launches' records are right, whatever the cursor has. */
export async function boundJobs(
  deps: Pick<PollDeps, 'installationId' | 'launches'>,
  runners: readonly ListedRunner[],
): Promise<BoundRunner[]> {
  const found = await runnerLaunches(deps, runners);
  return found.flatMap(({ runner, launch: { runs } }) =>
    runs === undefined ? [] : [{ jobKey: runs.jobKey, runner, url: runs.url }],
  );
}

import type { CiRunner } from '../../core/ci/ci-scope.ts';
import { launchIdOfAgent } from '../../core/launch/names.ts';
import { agentNameOfRunner } from '../../core/launch/runner-names.ts';
import type { ListedRunner } from '../../ports/ci-system.ts';
import type { PollDeps } from './poll-deps.ts';

/**
 * Reads which jobs the agents of runners have got, by their launches' records: these are right, whatever the cursor has.
 *
 * @param runners this davit's
 * @throws TransientError StoreUnavailable
 */
export async function boundJobs(
  { installationId, launches }: Pick<PollDeps, 'installationId' | 'launches'>,
  runners: readonly ListedRunner[],
): Promise<{ jobKey: string; runner: CiRunner }[]> {
  const named = runners.flatMap(({ id, name }) => {
    const agentName = agentNameOfRunner(installationId, name);
    return agentName === undefined ? [] : [{ runner: { id, name }, launchId: launchIdOfAgent(agentName) }];
  });
  if (named.length === 0) return [];
  const { records } = await launches.getMany(named.map(({ launchId }) => launchId));
  return named.flatMap(({ runner, launchId }) => {
    const launch = records.get(launchId);
    const run = launch?.runner?.id === runner.id ? launch.runs : undefined;
    return run === undefined ? [] : [{ jobKey: run.jobKey, runner }];
  });
}

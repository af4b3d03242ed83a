import { isLive, type LaunchRecord } from '../../core/launch/launch-record.ts';
import { runnerNameOf } from '../../core/launch/runner-names.ts';
import type { CiSystem, Registration } from '../../ports/ci-system.ts';
import { type TestLaunchDeps, testInstallationId } from './make-launch-deps.ts';

/** Every launch that was requested, the first one first. */
export async function requestedLaunches({ launches, executions }: TestLaunchDeps): Promise<LaunchRecord[]> {
  const { records } = await launches.getMany([...executions.started.keys()]);
  return [...records.values()];
}

/** The requested launches that have not ended. */
export async function unendedLaunches(deps: TestLaunchDeps): Promise<LaunchRecord[]> {
  return (await requestedLaunches(deps)).filter(isLive);
}

/** The only launch that has not ended. */
export async function onlyUnendedLaunch(deps: TestLaunchDeps): Promise<LaunchRecord> {
  const [launch, ...others] = await unendedLaunches(deps);
  if (launch === undefined || others.length > 0) throw new Error(`${others.length + 1} launches are live`);
  return launch;
}

/** Registers the agent of a launch, as register-runner does. */
export async function registerAgent(
  { registrations, nowEpochMs }: TestLaunchDeps,
  ci: Pick<CiSystem, 'register'>,
  { launchId, plan }: LaunchRecord,
): Promise<Registration> {
  const { agentName, join } = plan ?? {};
  if (agentName === undefined || join === undefined) throw new Error(`${launchId} joins nothing`);
  const agent = { agentName, launchId };
  const { scope, labels, pinnedTo } = join;
  const name = runnerNameOf(testInstallationId, agentName);
  await registrations.begin(agent, 'nonce', nowEpochMs());
  const registration = await ci.register(scope, { name, labels, ...(pinnedTo !== undefined && { pinnedTo }) });
  await registrations.complete(agent, 'nonce', registration.runner, nowEpochMs());
  return registration;
}

import { type ErrorCode, errorCodes } from '../../../../core/errors/error-codes.ts';
import { agentNameOf } from '../../../../core/launch/names.ts';
import { untilExecutionEnds } from '../../../support/execution-events.ts';
import type { LaunchShown } from '../../../support/launches-client.ts';
import type { ClusterProfile, DavitOnCluster } from '../start-davit.ts';
import { until } from '../until.ts';

/** A launch of a table: a condition, and the profile that brings it about. */
export interface Row {
  what: string;
  changes: ClusterProfile;
}

/** The failure of a launch: its code, the cluster's words in its message, and the agent's log if it wrote one. */
export interface Failure {
  code: ErrorCode;
  detail: RegExp;
  log?: string;
}

const registrationMs = 90_000;
const dialMs = 60_000;
const signalMs = 60_000;

/** The profiles of tables' rows. */
export function profilesOf(...tables: readonly (readonly Row[])[]): Record<string, ClusterProfile> {
  return Object.fromEntries(tables.flat().map(({ what, changes }) => [profileOf(what), changes]));
}

/** @param jobId a different one for each launch of the same row @returns the launch's id */
export function requestLaunch(davit: DavitOnCluster, { what }: Pick<Row, 'what'>, jobId = what): Promise<string> {
  return davit.launches.request({ profile: profileOf(what), jobId });
}

/** A profile's name, as a label value allows it. */
const profileOf = (what: string): string =>
  what
    .toLowerCase()
    .match(/[a-z0-9]+/g)
    ?.join('-')
    .slice(0, 60) ?? '';

/** Waits until a launch reports what it waits for. @returns the detail that it reports */
export function untilSignal(davit: DavitOnCluster, launchId: string, code: string): Promise<string> {
  return until(`${launchId} waits for ${code}`, signalMs, async () => {
    const { signal } = await davit.launches.show(launchId);
    return signal?.code === code ? signal.detail : undefined;
  });
}

/** Waits for a launch to end, and checks everything that a person would look at, and that nothing is left. */
export async function expectFailure(davit: DavitOnCluster, launchId: string, failure: Failure): Promise<LaunchShown> {
  const { code, detail, log } = failure;
  const launch = await davit.launches.until(launchId, 'failed', 'terminated');
  const execution = await untilExecutionEnds(davit.runtime, launchId);

  const { status, ending } = launch;
  const { means, advice } = errorCodes[code];
  expect({ status, ...ending }).toMatchObject({ status: 'failed', outcome: 'failed', code, means, advice });
  expect(ending?.message).toMatch(detail);
  expect(ending?.message).toContain(launchId);
  expect(execution).toMatchObject({ status: 'FAILED', error: code, cause: ending?.message });
  if (log !== undefined) expect(launch).toMatchObject({ diagnostics: { log: { text: expect.stringContaining(log) } } });
  expect(await davit.left(launchId)).toEqual([]);
  return launch;
}

/**
 * Waits for a launch's agent, runs a step at the token's address and ends the job. Expects that nothing is left.
 *
 * @param generation the launch's generation by then
 */
export async function expectAgent(davit: DavitOnCluster, launchId: string, generation = 1): Promise<LaunchShown> {
  const agentName = agentNameOf(launchId, generation);
  const { token } = await davit.ci.registrationOf(agentName, AbortSignal.timeout(registrationMs));
  // kube-proxy learns of the agent when davit does, or later: retry.
  const step = await until(`${agentName} is reached`, dialMs, () =>
    davit.ci.run(token, { run: ['sh', '-c', 'echo "$DAVIT_AGENT_NAME built"'] }),
  );
  const execution = await untilExecutionEnds(davit.runtime, launchId);
  await davit.launches.end(launchId);
  const launch = await davit.launches.until(launchId, 'terminated', 'failed');

  expect(step).toEqual({ exitCode: 0, output: `${agentName} built\n` });
  expect(execution).toMatchObject({ status: 'SUCCEEDED' });
  expect(launch).toMatchObject({ status: 'terminated', agentName, plan: { generation } });
  expect(await davit.left(launchId)).toEqual([]);
  return launch;
}

/** Declares a test for each failing launch of a table. The tests run concurrently. */
export function describeFailures(davit: DavitOnCluster, failures: readonly (Row & Failure)[]): void {
  describe('a launch into a real cluster fails, says why and what to do, and leaves nothing', () => {
    test.concurrent.each(failures)('$what: $code', async (row) => {
      await expectFailure(davit, await requestLaunch(davit, row), row);
    });
  });
}

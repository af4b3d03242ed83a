import { agentNameOf } from '../../core/launch/names.ts';
import type { Runtime } from '../../local/runtime/start-runtime.ts';
import { readFailure } from '../../logic/steps/read-failure.ts';
import { untilExecutionEnds } from './execution-events.ts';
import type { TestRuntime } from './start-test-runtime.ts';

/** The codes of each launch's failed attempts, in order, by launch id. */
export type FailedAttempts = ReadonlyMap<string, readonly string[]>;

/** Records the codes of failed attempts from now on. */
export function recordFailedAttempts(runtime: Runtime): FailedAttempts {
  const attempts = new Map<string, string[]>();
  runtime.onExecutionEvent((event) => {
    if (event.type !== 'failed') return;
    const { launchId, error, cause } = event;
    const { code } = readFailure({ Error: error, Cause: cause });
    attempts.set(launchId, [...(attempts.get(launchId) ?? []), code]);
  });
  return attempts;
}

/** Expects a launch to work with one Service and one Pod, then clears all faults and ends it. */
export async function expectOneAgent(davit: TestRuntime, launchId: string): Promise<void> {
  const agentName = agentNameOf(launchId);
  const { token } = await davit.ci.registrationOf(agentName, AbortSignal.timeout(90_000));
  const { status } = await untilExecutionEnds(davit.runtime, launchId);
  const step = await davit.ci.run(token, { run: ['echo', 'built'] });
  const created = [...davit.history.created('services'), ...davit.history.created('pods')];

  expect(step).toEqual({ exitCode: 0, output: 'built\n' });
  expect(status).toBe('SUCCEEDED');
  expect(created.filter((name) => name === agentName)).toHaveLength(2);
  davit.cluster.sandbox.faults.clear();
  await davit.launches.end(launchId);
  await davit.launches.until(launchId, 'terminated');
  expect(davit.history.left(launchId)).toEqual([]);
}

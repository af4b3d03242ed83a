import type { CiRunner } from '../ci/ci-scope.ts';
import type { Join } from '../ci/join.ts';
import type { LaunchRecord } from './launch-record.ts';

/** A launch's registered runner, and the scope of its registration. */
export interface LeftRunner {
  join: Join;
  runner: CiRunner;
}

/** Finds the runner of a launch that may still be in its CI system. */
export function leftRunnerOf({
  plan,
  runner,
  deregisteredAtEpochMs,
}: Pick<LaunchRecord, 'plan' | 'runner' | 'deregisteredAtEpochMs'>): LeftRunner | undefined {
  if (runner === undefined || deregisteredAtEpochMs !== undefined || plan?.join === undefined) return undefined;
  return { join: plan.join, runner };
}

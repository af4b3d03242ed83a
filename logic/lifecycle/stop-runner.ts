import type { CiScope } from '../../core/ci/ci-scope.ts';
import type { CiSystem } from '../../ports/ci-system.ts';

/**
 * Keeps a CI system from handing new jobs to a runner, unless davit has done so already.
 *
 * @returns how long a job may still appear on the runner, in milliseconds: davit looks for one only after that
 * @throws TransientError CiUnavailable, TerminalError CiRefused
 */
export async function stopRunner(
  ci: Pick<CiSystem, 'stopAssigning' | 'stoppedAtEpochMs' | 'settleMs'>,
  { scope, runnerId }: { scope: CiScope; runnerId: number },
  nowEpochMs: number,
): Promise<number> {
  const sinceEpochMs = await ci.stoppedAtEpochMs?.(scope, runnerId);
  if (sinceEpochMs === undefined) {
    await ci.stopAssigning(scope, runnerId);
    return ci.settleMs;
  }
  return Math.min(ci.settleMs, Math.max(0, sinceEpochMs + ci.settleMs - nowEpochMs));
}

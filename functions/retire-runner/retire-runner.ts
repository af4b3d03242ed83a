import { PendingError } from '../domain/errors.ts';
import { type Ending, isLive } from '../domain/launch-record.ts';
import { type LeftRunner, leftRunnerOf } from '../domain/left-runner.ts';
import { LaunchId } from '../domain/names.ts';
import { type EndLaunchDeps, endLaunch } from '../launch-lifecycle/end-launch.ts';
import type { CiSystem } from '../ports/ci-system.ts';
import type { Launches } from '../ports/launches.ts';
import type { Registrations } from '../ports/registrations.ts';
import * as z from '../zod.ts';

/** A launch that is no longer wanted. */
export const RetireRunnerInput = z.object({
  launchId: LaunchId,
  reason: z.string().check(z.minLength(1)),
  by: z.string().check(z.minLength(1)),
});
export type RetireRunnerInput = z.infer<typeof RetireRunnerInput>;

/**
 * What became of it: there is no such launch; its agent runs a job and is left alone; its runner is out of the CI system
 * and the launch is over, or there was no runner.
 */
export const RetireRunnerOutput = z.object({ outcome: z.enum(['unknown', 'busy', 'retired']) });
export type RetireRunnerOutput = z.infer<typeof RetireRunnerOutput>;

/** What retiring needs. */
export interface RetireRunnerDeps extends EndLaunchDeps {
  registrations: Pick<Registrations, 'retire' | 'noteDeregistered'>;
  launches: Pick<Launches, 'get' | 'end'>;
  /** @throws TerminalError CiRefused for a name that is not in davit.yaml, or has no credential there */
  ciSystemOf: (ciSystem: string) => CiSystem;
  sleep: (ms: number) => Promise<void>;
  nowEpochMs: () => number;
}

/**
 * Takes a launch's runner out of its CI system, and then ends the launch, unless its agent runs a job. Only the CI system
 * can say that an agent gets no more work, so it is asked between each two steps:
 *
 *     mark ── stop assigning ── wait ── runs a job? ── remove if idle ── end, unless a job is bound meanwhile
 *
 * After the mark no registration completes, so a launch without a runner gets none. A busy agent is left alone: its own
 * `completed` comes. The runner of a launch that is over is taken out, too. Repeatable, and safe to run twice at once.
 *
 * @throws TransientError when the CI system or a table did not answer; PendingError RunnerBusy when the launch is over
 *   and its runner runs a job for the CI system; TerminalError CiRefused. Lambda repeats each, and reconcile asks again.
 */
export async function retireRunner(
  deps: RetireRunnerDeps,
  { launchId, reason, by }: RetireRunnerInput,
): Promise<RetireRunnerOutput> {
  const record = await deps.registrations.retire(launchId, reason, deps.nowEpochMs());
  if (record === undefined) return { outcome: 'unknown' };
  if (isLive(record) && record.runs !== undefined) return { outcome: 'busy' };
  const left = leftRunnerOf(record);
  if (left !== undefined && (await takeOut(deps, launchId, left)) === 'busy') return { outcome: 'busy' };
  const ending: Ending = {
    outcome: 'terminated',
    code: 'Terminated',
    message: reason,
    by,
    atEpochMs: deps.nowEpochMs(),
  };
  const ended = isLive(record) ? await endLaunch(deps, launchId, ending, { unlessRunning: true }) : undefined;
  return { outcome: isLive(ended?.record) ? 'busy' : 'retired' };
}

async function takeOut(
  deps: RetireRunnerDeps,
  launchId: LaunchId,
  { join, runner }: LeftRunner,
): Promise<'removed' | 'busy'> {
  const ci = deps.ciSystemOf(join.ciSystem);
  await ci.stopAssigning(join.scope, runner.id);
  await deps.sleep(ci.settleMs);
  const record = await deps.launches.get(launchId);
  const isOver = !isLive(record);
  if (!isOver && record?.runs !== undefined) return 'busy';
  const removal = await ci.removeIfIdle(join.scope, runner.id);
  if (removal === 'removed') await deps.registrations.noteDeregistered(launchId, runner.id, deps.nowEpochMs());
  else if (isOver)
    throw new PendingError('RunnerBusy', `${join.ciSystem}: runner ${runner.name} is busy`, { launchId });
  return removal;
}

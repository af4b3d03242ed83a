import { PendingError } from '../../core/errors/errors.ts';
import { Retirement } from '../../core/invoked-events.ts';
import { jobEnding } from '../../core/job/job-ending.ts';
import { type AttributedEnding, isLive, type LaunchRecord } from '../../core/launch/launch-record.ts';
import { type LeftRunner, leftRunnerOf } from '../../core/launch/left-runner.ts';
import type { LaunchId } from '../../core/launch/names.ts';
import * as z from '../../core/zod.ts';
import { type EndLaunchDeps, endLaunch } from '../../logic/lifecycle/end-launch.ts';
import { stopRunner } from '../../logic/lifecycle/stop-runner.ts';
import { atPace } from '../../logic/pace/at-pace.ts';
import type { SystemPace } from '../../logic/pace/system-pace.ts';
import type { CiSystem, RunnerRemoval } from '../../ports/ci-system.ts';
import type { Launches } from '../../ports/launches.ts';
import type { Registrations } from '../../ports/registrations.ts';

/** The launch to retire. */
export const RetireRunnerInput = Retirement;

/**
 * The outcome: there is no such launch; its agent runs a job and is left alone; or the launch is over and its runner,
 * if it had one, is out of the CI system.
 */
export const RetireRunnerOutput = z.object({ outcome: z.enum(['unknown', 'busy', 'retired']) });
export type RetireRunnerOutput = z.infer<typeof RetireRunnerOutput>;

/** The dependencies of retiring. */
export interface RetireRunnerDeps extends EndLaunchDeps {
  registrations: Pick<Registrations, 'retire' | 'noteDeregistered'>;
  launches: Pick<Launches, 'get' | 'end'>;
  /** @throws TerminalError CiRefused for a name that is not in davit.yaml, or has no credential there */
  ciSystemOf: (ciSystem: string) => CiSystem;
  pace: Pick<SystemPace, 'take' | 'heed'>;
  sleep: (ms: number) => Promise<void>;
  nowEpochMs: () => number;
}

/**
 * Removes a launch's runner from its CI system, and then ends the launch, unless its agent runs a job. Only the CI
 * system knows whether an agent gets more work, so davit asks it at each step:
 *
 *     mark ── stop assigning ── wait ── runs a job? ── remove if idle ── end, unless a job is bound meanwhile
 *
 * After the mark no registration completes, so a launch without a runner gets none. Leaves a busy agent alone: the
 * `completed` of its job ends it. Also removes the runner of a launch that is over. Repeatable, and safe to run twice at
 * once.
 *
 * @throws TransientError when the CI system or a table did not answer, or registrations need this minute; PendingError
 *   RunnerBusy when the launch is over and its runner runs a job for the CI system; TerminalError CiRefused. Lambda repeats
 *   each, and reconcile asks again.
 */
export async function retireRunner(
  deps: RetireRunnerDeps,
  { launchId, reason, by, actor, finishedJobKey }: Retirement,
): Promise<RetireRunnerOutput> {
  const record = await deps.registrations.retire(launchId, reason, deps.nowEpochMs());
  if (record === undefined) return { outcome: 'unknown' };
  if (isLive(record) && record.runs !== undefined) {
    if (record.runs.jobKey !== finishedJobKey) return { outcome: 'busy' };
    return endFinished(deps, record, reason);
  }
  const left = leftRunnerOf(record);
  if (left !== undefined && (await takeOut(deps, launchId, left)) === 'busy') return { outcome: 'busy' };
  const ending: AttributedEnding = {
    outcome: 'terminated',
    code: 'Terminated',
    message: reason,
    by,
    actor,
    atEpochMs: deps.nowEpochMs(),
  };
  const ended = isLive(record) ? await endLaunch(deps, launchId, ending, { unlessRunning: true }) : undefined;
  return { outcome: isLive(ended?.record) ? 'busy' : 'retired' };
}

/**
 * Ends a launch whose agent ran a job that is over without an event. A CI system forgets a runner after its one job. So
 * the job is over once the CI system no longer knows the runner. A run that has noted so may have died before the end.
 */
async function endFinished(deps: RetireRunnerDeps, record: LaunchRecord, reason: string): Promise<RetireRunnerOutput> {
  const { launchId, plan, runner } = record;
  if (plan?.join === undefined || runner === undefined) return { outcome: 'busy' };
  const { ciSystem } = plan.join;
  const left = leftRunnerOf(record);
  if (left !== undefined) {
    const { scope, pinnedTo } = left.join;
    const registered = await atPace(deps, { ciSystem, purpose: 'retirement', launchId, reads: 1 }, (ci) =>
      ci.getRunner(scope, runner.id, pinnedTo),
    );
    if (registered !== undefined) return { outcome: 'busy' };
    await deps.registrations.noteDeregistered(launchId, runner.id, deps.nowEpochMs());
  }
  await endLaunch(deps, launchId, { ...jobEnding(ciSystem, undefined, deps.nowEpochMs()), message: reason });
  return { outcome: 'retired' };
}

async function takeOut(
  deps: RetireRunnerDeps,
  launchId: LaunchId,
  { join, runner }: LeftRunner,
): Promise<RunnerRemoval> {
  const { ciSystem, scope } = join;
  let isOver = false;
  const removal = await atPace(deps, { ciSystem, purpose: 'retirement', launchId, writes: 1 }, async (ci) => {
    await deps.sleep(await stopRunner(ci, { scope, runnerId: runner.id }, deps.nowEpochMs()));
    const record = await deps.launches.get(launchId);
    isOver = !isLive(record);
    return !isOver && record?.runs !== undefined ? 'runs' : ci.removeIfIdle(scope, runner.id, join.pinnedTo);
  });
  if (removal === 'runs') return 'busy';
  if (removal !== 'busy') await deps.registrations.noteDeregistered(launchId, runner.id, deps.nowEpochMs());
  else if (isOver) throw new PendingError('RunnerBusy', `${ciSystem}: runner ${runner.name} is busy`, { launchId });
  return removal;
}

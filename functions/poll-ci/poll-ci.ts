import type { CiSystemConfig } from '../../core/ci/ci-system-config.ts';
import { isPinned, isPolled, scaleSetOf } from '../../core/ci/ci-systems.ts';
import { pollTurnMs } from '../../core/ci/poll-turn.ts';
import { PollRequest } from '../../core/invoked-events.ts';
import * as z from '../../core/zod.ts';
import type { Polled, PollState } from '../../logic/polling/poll.ts';
import type { QueueDeps } from '../../logic/polling/poll-deps.ts';
import { pollJob } from '../../logic/polling/poll-job.ts';
import { pollPinned } from '../../logic/polling/poll-pinned.ts';
import { pollQueue } from '../../logic/polling/poll-queue.ts';
import { pollSystem } from '../../logic/polling/poll-system.ts';
import type { NamedJob } from '../../ports/ci-system.ts';

/**
 * The CI system to poll once, and when; or the one job of it that a webhook named; or, as the schedule asks, all of them
 * until the schedule asks again.
 */
export const PollCiInput = z.partial(PollRequest);
export type PollCiInput = z.infer<typeof PollCiInput>;

const count = z.int().check(z.gte(0));

/** What one run saw. */
export const PollCiReport = z.object({
  polls: count,
  /** The polls that came to nothing: the CI system may be overloaded. */
  failed: count,
  /** The jobs that were new in a queue. */
  queued: count,
  /** What failed, each once. */
  errors: z.array(z.string()),
});
export type PollCiReport = z.infer<typeof PollCiReport>;

/** The dependencies of the function. */
export interface PollCiDeps extends QueueDeps {
  ciSystems: readonly CiSystemConfig[];
  /** When a scheduled run begins no further poll, in milliseconds from its start. */
  totalMs: number;
}

/** The schedule's next run begins two seconds after this. */
export const pollTotalMs = 58_000;

/** The pause after a poll that failed, in milliseconds: the CI system may be overloaded. */
export const failedPauseMs = 10_000;

/** How long one poll waits for a message at most, in milliseconds: GitHub answers after some 50 s if there is none. */
export const longestWaitMs = 55_000;

/** Polls the CI systems that send no events of their jobs. A failure of one does not stop the others. */
export async function pollCi(deps: PollCiDeps, { ciSystem, job, atEpochMs = 0 }: PollCiInput): Promise<PollCiReport> {
  const untilTurnMs = atEpochMs - deps.nowEpochMs();
  if (untilTurnMs > 0) await deps.sleep(Math.min(untilTurnMs, pollTurnMs));
  const endsAtEpochMs = deps.nowEpochMs() + (ciSystem === undefined ? deps.totalMs : 0);
  const polled = deps.ciSystems.filter((system) => isPolled(system) && [undefined, system.name].includes(ciSystem));
  const reports = await Promise.all(
    polled.map((system) =>
      job === undefined ? keepPolling(deps, system, endsAtEpochMs) : pollNamed(deps, system, job),
    ),
  );
  return {
    polls: reports.reduce((sum, { polls }) => sum + polls, 0),
    failed: reports.reduce((sum, { failed }) => sum + failed, 0),
    queued: reports.reduce((sum, { queued }) => sum + queued, 0),
    errors: [...new Set(reports.flatMap(({ errors }) => errors))],
  };
}

/** Asks for one job. A poll finds it, too, so a failure is no more than late news. */
async function pollNamed(deps: PollCiDeps, system: CiSystemConfig, job: NamedJob): Promise<PollCiReport> {
  try {
    return { polls: 1, failed: 0, queued: (await pollJob(deps, system, job)) ? 1 : 0, errors: [] };
  } catch (error) {
    const words = error instanceof Error ? error.message : String(error);
    return { polls: 1, failed: 1, queued: 0, errors: [`job ${job.jobId}: ${words}`] };
  }
}

/** Polls one system at least once, and again after its pause as long as there is time. */
async function keepPolling(deps: PollCiDeps, system: CiSystemConfig, endsAtEpochMs: number): Promise<PollCiReport> {
  const report: PollCiReport = { polls: 0, failed: 0, queued: 0, errors: [] };
  let before: PollState | undefined;
  for (;;) {
    report.polls += 1;
    let pauseMs = pauseOf(system);
    try {
      const polled = await pollOnce(deps, system, before, endsAtEpochMs);
      before = polled;
      report.queued += polled.queued;
      report.errors.push(...polled.errors);
    } catch (error) {
      report.failed += 1;
      report.errors.push(error instanceof Error ? error.message : String(error));
      // The stored cursor may be older than this process's, and the records have what it lacks.
      before = undefined;
      pauseMs = Math.max(pauseMs, failedPauseMs);
    }
    if (deps.nowEpochMs() + pauseMs >= endsAtEpochMs) return report;
    await deps.sleep(pauseMs);
  }
}

async function pollOnce(
  deps: PollCiDeps,
  system: CiSystemConfig,
  before: PollState | undefined,
  endsAtEpochMs: number,
): Promise<Polled> {
  if (scaleSetOf(system) === undefined) return (isPinned(system) ? pollPinned : pollSystem)(deps, system, before);
  const leftMs = endsAtEpochMs - deps.nowEpochMs();
  // A run that polls once has no next run to make room for.
  return pollQueue(deps, system, leftMs <= 0 ? longestWaitMs : Math.min(longestWaitMs, Math.max(1000, leftMs)));
}

/** The pause between two polls of a CI system, in milliseconds. */
export function pauseOf(system: CiSystemConfig): number {
  return 'pollSeconds' in system ? system.pollSeconds * 1000 : 0;
}

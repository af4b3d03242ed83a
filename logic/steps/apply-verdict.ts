import { type ErrorSubject, RelaunchError, TerminalError } from '../../core/errors/errors.ts';
import { maskJwts } from '../../core/errors/mask-secrets.ts';
import type { Stamps } from '../../core/launch/execution-state.ts';
import type { Signal } from '../../core/launch/launch-record.ts';
import type { LaunchPlan } from '../../core/launch/launch-state.ts';
import { timelineOf } from '../../core/launch/timeline.ts';
import type { PodVerdict, RelaunchVerdict } from '../../core/pod/pod-verdict.ts';
import type { Launches } from '../../ports/launches.ts';

interface VerdictDeps {
  launches: Pick<Launches, 'noteSignal'>;
  nowEpochMs: () => number;
}

interface AppliedVerdict {
  /** The signal in the launch's record. */
  signal: Signal | undefined;
  /** How long the trouble has lasted, once that is longer than its grace period. */
  overdueSeconds?: number;
}

/**
 * Applies a Pod's verdict to its launch: throws when the launch must fail, otherwise records the cluster's words for the
 * person who waits. A grace period belongs to one code of one container: it starts when its signal is first recorded, goes
 * on across attempts, and ends when the Pod is seen well again.
 *
 * @param recorded the signal in the launch's record; the same words are not written twice
 * @throws TerminalError, RelaunchError with the verdict's code
 */
export async function applyVerdict(
  deps: VerdictDeps,
  launch: Pick<LaunchPlan, 'launchId' | 'agentName' | 'graces'> & Stamps,
  verdict: PodVerdict,
  subject: ErrorSubject,
  recorded: Signal | undefined,
): Promise<AppliedVerdict> {
  const { launchId, agentName, graces } = launch;
  // Recording takes time, and the trouble may end meanwhile. So its duration counts only until this moment.
  const seenAtEpochMs = deps.nowEpochMs();
  if (verdict.kind === 'terminal') throw new TerminalError(verdict.code, verdict.detail, subject);
  if (verdict.kind === 'relaunch') throw relaunchErrorOf(verdict, subject);
  const code = verdict.kind === 'grace' ? verdict.code : verdict.signal;
  if (code === undefined) return { signal: recorded };

  const { container } = verdict.subject;
  const detail = maskJwts(verdict.detail);
  const isRecorded = recorded?.code === code && recorded.container === container && recorded.detail === detail;
  const signal = isRecorded
    ? recorded
    : await deps.launches.noteSignal(
        launchId,
        { code, ...(container === undefined ? {} : { container }), detail, sinceEpochMs: seenAtEpochMs },
        agentName,
        timelineOf(launch),
      );
  if (verdict.kind === 'wait') return { signal };

  const lastedSeconds = (seenAtEpochMs - signal.sinceEpochMs) / 1000;
  return lastedSeconds < graces[verdict.grace] ? { signal } : { signal, overdueSeconds: lastedSeconds };
}

/** Returns the error that begins the launch again. */
export function relaunchErrorOf({ code, detail }: RelaunchVerdict, subject: ErrorSubject): RelaunchError {
  return new RelaunchError(code, detail, subject);
}

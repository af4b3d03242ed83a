import { executionEnding } from '../../core/launch/execution-ending.ts';
import { type AttributedEnding, agentExited, type LaunchRecord } from '../../core/launch/launch-record.ts';
import { longestAgentLifetimeSeconds } from '../../core/retention.ts';
import type { ExecutionStatus } from '../../ports/executions.ts';
import { type AgentExit, exitOf } from './exit-words.ts';
import type { LaunchReason } from './verdict.ts';

type EndingReason = Exclude<LaunchReason, 'NeverStarted' | 'CleanUpUnfinished'>;

/** A sweep's findings about a launch that it ends. */
export interface EndingEvidence {
  execution?: ExecutionStatus | undefined;
  /** How its agent came to its end, if it did. */
  exit?: AgentExit | undefined;
}

const bySweep = 'the sweep';

/** Builds the ending that a sweep writes into a launch's record. */
export function endingOf(
  { plan, requestedAtEpochMs, connectedAtEpochMs = requestedAtEpochMs }: LaunchRecord,
  reason: EndingReason,
  { execution, exit }: EndingEvidence,
  atEpochMs: number,
): AttributedEnding {
  const actor = { kind: 'davit', name: `sweep/${reason}` } as const;
  const secondsSince = (epochMs: number) => Math.round((atEpochMs - epochMs) / 1000);
  switch (reason) {
    case 'ExecutionOver':
      if (isOfEarlierLaunch(execution, requestedAtEpochMs)) {
        const detail = 'an execution of this name ended before this launch was requested: use a new job id';
        return {
          outcome: 'failed',
          code: 'ExecutionEnded',
          message: `ExecutionEnded: ${detail}`,
          by: bySweep,
          actor,
          atEpochMs,
        };
      }
      return executionEnding(execution ?? { status: 'unknown' }, atEpochMs);
    case 'LaunchExpired': {
      const detail = `the launch was under way for ${secondsSince(requestedAtEpochMs)} s, longer than all of its deadlines`;
      return { outcome: 'failed', code: reason, message: `${reason}: ${detail}`, by: bySweep, actor, atEpochMs };
    }
    case 'AgentLifetimeExceeded': {
      const { maxAgentLifetimeSeconds = longestAgentLifetimeSeconds } = plan ?? {};
      const detail = `the agent was connected for ${secondsSince(connectedAtEpochMs)} s of ${maxAgentLifetimeSeconds} s`;
      return { outcome: 'failed', code: reason, message: `${reason}: ${detail}`, by: bySweep, actor, atEpochMs };
    }
    case 'AgentExited': {
      const { words, isFailure, isLoss } = exit ?? exitOf(undefined);
      const loss = isLoss ? ({ isLoss } as const) : {};
      const by = agentExited;
      return isFailure
        ? { outcome: 'failed', code: reason, message: `${reason}: ${words}`, by, actor, ...loss, atEpochMs }
        : { outcome: 'terminated', code: 'Terminated', message: words, by, actor, ...loss, atEpochMs };
    }
  }
}

/**
 * Tells whether an execution began before its launch was requested: it is of an earlier launch of the same id, whose
 * record has expired. Allows for a minute between the two clocks.
 */
function isOfEarlierLaunch(execution: ExecutionStatus | undefined, requestedAtEpochMs: number): boolean {
  const { startedAtEpochMs = requestedAtEpochMs } = execution ?? {};
  return startedAtEpochMs < requestedAtEpochMs - 60_000;
}

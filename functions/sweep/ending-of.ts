import { executionEnding } from '../domain/execution-ending.ts';
import { type Ending, type LaunchRecord, longestAgentLifetimeSeconds } from '../domain/launch-record.ts';
import type { ExecutionStatus } from '../ports/executions.ts';
import type { LaunchReason } from './verdict.ts';

/** Why a sweep ends a launch. */
export type EndingReason = Exclude<LaunchReason, 'NeverStarted' | 'CleanUpUnfinished'>;

const bySweep = 'the sweep';

/** Says in a launch's record why a sweep ends it. */
export function endingOf(
  { plan, requestedAtEpochMs, connectedAtEpochMs = requestedAtEpochMs }: LaunchRecord,
  reason: EndingReason,
  execution: ExecutionStatus | undefined,
  atEpochMs: number,
): Ending {
  const secondsSince = (epochMs: number) => Math.round((atEpochMs - epochMs) / 1000);
  switch (reason) {
    case 'ExecutionOver':
      return executionEnding(execution ?? { status: 'unknown' }, atEpochMs);
    case 'LaunchExpired': {
      const says = `the launch was under way for ${secondsSince(requestedAtEpochMs)} s, longer than all of its deadlines`;
      return { outcome: 'failed', code: reason, message: `${reason}: ${says}`, by: bySweep, atEpochMs };
    }
    case 'AgentLifetimeExceeded': {
      const { maxAgentLifetimeSeconds = longestAgentLifetimeSeconds } = plan ?? {};
      const says = `the agent was connected for ${secondsSince(connectedAtEpochMs)} s of ${maxAgentLifetimeSeconds} s`;
      return { outcome: 'failed', code: reason, message: `${reason}: ${says}`, by: bySweep, atEpochMs };
    }
    case 'AgentExited': {
      const message = `the agent’s Pod has ended or is gone for ${plan?.removeExitedAfterSeconds} s`;
      return { outcome: 'terminated', code: 'Terminated', message, by: 'the agent exited', atEpochMs };
    }
  }
}

import {
  isHeld,
  type LaunchRecord,
  removalBeganAtEpochMs,
  type Signal,
  stateMachine,
} from '../../core/launch/launch-record.ts';
import { agentExpiresAtEpochMs } from '../../core/launch/launch-state.ts';
import { longestAgentLifetimeSeconds } from '../../core/retention.ts';
import type { ExecutionStatus } from '../../ports/executions.ts';
import { found, kept, type LaunchReason, spared, type Verdict } from './verdict.ts';

/** A sweep's knowledge about a launch, besides its record. */
export interface LaunchSights {
  /** Undefined when there is none. Read it before the record. */
  execution: ExecutionStatus | undefined;
  /** `exited`: its Pod has ended. `gone`: it has no Pod. `unknown`: the sweep has not looked. */
  agent: 'there' | 'exited' | 'gone' | 'unknown';
}

/** The code of the signal that records when a sweep first saw the agent as exited. */
export const agentExited = 'AgentExited' satisfies LaunchReason;

/** The longest pause between two requests for the same clean-up, in multiples of the grace. */
const longestQuiet = 15;

/**
 * Decides what a sweep does about a launch.
 *
 * | status    | and                                                                      | verdict                      |
 * |-----------|--------------------------------------------------------------------------|------------------------------|
 * | launching | its agent's credential has expired                                       | found: LaunchExpired         |
 * | launching | older than the grace, and has no execution                               | found: NeverStarted          |
 * | launching | older than the grace, and its execution is over                          | found: ExecutionOver         |
 * | connected | for longer than its plan lets an agent live                              | found: AgentLifetimeExceeded |
 * | connected | its agent's Pod is gone: unlike one that exited, it cannot have finished | found: AgentExited           |
 * | connected | its agent is seen to have exited for as long as its plan says            | found: AgentExited           |
 * | connected | as before, but not for so long                                           | spared: AgentJustExited      |
 * | cleaning  | its Pod is held, and the time is over                                    | found: CleanUpUnfinished     |
 * | cleaning  | its Pod is held and not gone, and a clean-up has removed the rest        | kept                         |
 * | cleaning  | no recent request for a clean-up, and no execution is about to clean up  | found: CleanUpUnfinished     |
 * | any other |                                                                          | kept                         |
 *
 * Read the execution's status before the record. An execution that succeeds has seen the record say `connected`. So if
 * the execution is over and the record still says `launching` afterwards, no process works on the launch any more.
 *
 * @param graceSeconds how long a launch is left to the process that works on it
 */
export function judgeLaunch(
  record: LaunchRecord,
  { execution, agent }: LaunchSights,
  nowEpochMs: number,
  graceSeconds: number,
): Verdict<LaunchReason> {
  switch (record.status) {
    case 'launching':
      return judgeLaunching(record, execution, nowEpochMs, graceSeconds);
    case 'connected':
      return judgeConnected(record, agent, nowEpochMs);
    case 'cleaning':
      return judgeCleaning(record, { execution, agent }, nowEpochMs, graceSeconds);
    case 'failed':
    case 'terminated':
      return kept;
  }
}

function judgeLaunching(
  { plan, requestedAtEpochMs }: LaunchRecord,
  execution: ExecutionStatus | undefined,
  nowEpochMs: number,
  graceSeconds: number,
): Verdict<LaunchReason> {
  if (plan !== undefined && nowEpochMs >= agentExpiresAtEpochMs(plan)) return found('LaunchExpired');
  if (nowEpochMs - requestedAtEpochMs < graceSeconds * 1000) return kept;
  if (execution === undefined) return found('NeverStarted');
  return execution.status === 'RUNNING' ? kept : found('ExecutionOver');
}

function judgeConnected(
  { plan, connectedAtEpochMs, requestedAtEpochMs, signal }: LaunchRecord,
  agent: LaunchSights['agent'],
  nowEpochMs: number,
): Verdict<LaunchReason> {
  const { maxAgentLifetimeSeconds = longestAgentLifetimeSeconds, removeExitedAfterSeconds } = plan ?? {};
  const livedMs = nowEpochMs - (connectedAtEpochMs ?? requestedAtEpochMs);
  if (livedMs >= maxAgentLifetimeSeconds * 1000) return found('AgentLifetimeExceeded');
  if (agent === 'gone') return found('AgentExited');
  if (agent !== 'exited' || removeExitedAfterSeconds === undefined) return kept;
  const exitedForMs = nowEpochMs - exitedSince(signal, nowEpochMs);
  return exitedForMs >= removeExitedAfterSeconds * 1000 ? found('AgentExited') : spared('AgentJustExited');
}

function exitedSince(signal: Signal | undefined, nowEpochMs: number): number {
  return signal?.code === agentExited ? signal.sinceEpochMs : nowEpochMs;
}

/** Says whether a held Pod should still be there: a clean-up that has read the diagnostics has seen that there was one to hold. */
export function isStillHeld(record: LaunchRecord, nowEpochMs: number): boolean {
  return isHeld(record) && record.diagnostics !== undefined && nowEpochMs < record.hold.untilEpochMs;
}

function judgeCleaning(
  record: LaunchRecord,
  { execution, agent }: LaunchSights,
  nowEpochMs: number,
  graceSeconds: number,
): Verdict<LaunchReason> {
  if (isHeld(record) && nowEpochMs >= record.hold.untilEpochMs) return found('CleanUpUnfinished');
  // Somebody may have deleted the Pod since, or it was on its way out.
  if (isStillHeld(record, nowEpochMs) && agent !== 'gone') return kept;
  // Its CleanUp state still works and will end by itself. A stopped execution would not say why the launch failed.
  if (record.ending?.by === stateMachine && execution?.status === 'RUNNING') return kept;
  return nowEpochMs - askedAt(record) >= cleanUpQuietMs(record, graceSeconds) ? found('CleanUpUnfinished') : kept;
}

/**
 * Returns the pause before a clean-up is requested again, in milliseconds: as long as it has failed so far, at least
 * the grace, at most fifteen times the grace. Lambda runs each request up to three times, so a launch whose objects
 * cannot be removed causes three runs in a quarter of an hour.
 */
export function cleanUpQuietMs(record: LaunchRecord, graceSeconds: number): number {
  const inVainMs = askedAt(record) - removalBeganAtEpochMs(record);
  return Math.max(graceSeconds * 1000, Math.min(inVainMs, longestQuiet * graceSeconds * 1000));
}

/** The end of a launch, or of its hold, includes the first request for its clean-up. */
function askedAt(record: LaunchRecord): number {
  return Math.max(record.cleanUpAskedAtEpochMs ?? 0, removalBeganAtEpochMs(record));
}

import type { CiRunner } from '../domain/ci-scope.ts';
import type { LaunchRecord } from '../domain/launch-record.ts';
import type { LaunchPlan } from '../domain/launch-state.ts';
import type { LaunchId } from '../domain/names.ts';
import type { AgentIdentity } from './credentials.ts';

type Agent = Pick<AgentIdentity, 'agentName' | 'launchId'>;

/**
 * What joining and leaving a CI system writes to the launches table. Every write is conditional and repeatable. Any
 * method may throw TransientError StoreUnavailable.
 */
export interface Registrations {
  /**
   * Begins a registration: writes its nonce, in place of an earlier one, and counts it. A relaunch forgets both: they were
   * of another agent.
   *
   * @returns the record; undefined unless the launch is live, not retiring, runs nothing, and this is its present agent
   */
  begin(agent: Agent, nonce: string, atEpochMs: number): Promise<LaunchRecord | undefined>;
  /**
   * Stores the runner and marks the launch as connected, if the nonce is still the one in the record and the launch is
   * still as `begin` wants it. The first moment of connecting stays, and the signal goes. Repeatable with the same runner.
   * Another runner in the record stays, unless it was noted as deregistered: a runner that may be in the CI system is
   * never forgotten.
   *
   * @returns the agent's plan; undefined when the registration was overtaken
   */
  complete(agent: Agent, nonce: string, runner: CiRunner, atEpochMs: number): Promise<LaunchPlan | undefined>;
  /**
   * Writes which job the agent runs, once: if the launch's runner has this id and `runs` is absent or the same. A launch
   * that is over is bound, too: its record says what its agent ran.
   *
   * @returns the record in effect; undefined when the launch has none, or its runner is another
   */
  bind(launchId: LaunchId, runnerId: number, jobKey: string, atEpochMs: number): Promise<LaunchRecord | undefined>;
  /**
   * Marks a live launch that runs nothing as retiring: from then on no registration begins or completes. The first mark
   * stays.
   *
   * @returns the record in effect, whatever it is; undefined when the launch has none
   */
  retire(launchId: LaunchId, reason: string, atEpochMs: number): Promise<LaunchRecord | undefined>;
  /** Notes that the runner with this id is out of the CI system. */
  noteDeregistered(launchId: LaunchId, runnerId: number, atEpochMs: number): Promise<void>;
}

import type { CiRunner } from '../core/ci/ci-scope.ts';
import type { BoundJob, LaunchRecord, RunnerOfJob } from '../core/launch/launch-record.ts';
import type { LaunchPlan } from '../core/launch/launch-state.ts';
import type { LaunchId } from '../core/launch/names.ts';
import type { Timeline } from '../core/launch/timeline.ts';
import type { AgentIdentity } from './credentials.ts';

type Agent = Pick<AgentIdentity, 'agentName' | 'launchId'>;

/**
 * The writes to the launches table when an agent joins or leaves its CI system. Every write is conditional and
 * repeatable. Any method may throw TransientError StoreUnavailable.
 */
export interface Registrations {
  /**
   * Marks a launch as connected whose agent stands by, unless its registration has begun. Repeatable: the first moment
   * stays.
   *
   * @param timeline how the launch came to its token. @default the record keeps its timeline
   * @returns the record in effect; undefined unless the launch is as `begin` requires
   */
  standBy(agent: Agent, atEpochMs: number, timeline?: Timeline): Promise<LaunchRecord | undefined>;
  /**
   * Notes that an agent that stands by, or was summoned, asks with a credential that was renewed this often. The highest
   * number stays. Repeatable.
   *
   * @returns the record in effect; undefined unless the launch is as `begin` requires
   */
  noteRenewal(agent: Agent, renewals: number): Promise<LaunchRecord | undefined>;
  /**
   * Summons the agent of a launch that stands by, for a job. Repeatable.
   *
   * @returns whether the agent is on its way because of this job
   */
  summon(launchId: LaunchId, jobKey: string, atEpochMs: number): Promise<boolean>;
  /**
   * Begins a registration: writes its nonce, in place of an earlier one, and counts it. A relaunch removes both, because
   * they belong to another agent.
   *
   * A request that arrives after a later request of the same agent begins nothing: the agent may already work with the
   * answer to the later one.
   *
   * @param askedAtEpochMs when API Gateway received the request
   * @param timeline how the launch came to its token. @default the record keeps its timeline
   * @returns the record, with another nonce if this request is late or the agent stands by; undefined unless the launch is
   *   live, not retiring, runs nothing, and this is its present agent
   */
  begin(agent: Agent, nonce: string, askedAtEpochMs: number, timeline?: Timeline): Promise<LaunchRecord | undefined>;
  /**
   * Takes over a registration that has begun: puts the taker's own nonce in place of the one that it was begun with. Of
   * several takers, one succeeds. Repeatable with the same nonce of its own.
   *
   * @returns the record; undefined when another registration has begun or taken this one, or the launch is not as
   *   `begin` requires
   */
  take(agent: Agent, nonce: string, ownNonce: string): Promise<LaunchRecord | undefined>;
  /**
   * Stores the runner and marks the launch as connected, if the nonce is still the one in the record and the launch is
   * still as `begin` requires. The first moment of connecting stays. Removes the signal. Repeatable with the same
   * runner. Another runner in the record stays unless the record says that it is deregistered: davit never forgets a
   * runner that may still be in the CI system.
   *
   * @returns the agent's plan; undefined when another registration has begun
   */
  complete(agent: Agent, nonce: string, runner: CiRunner, atEpochMs: number): Promise<LaunchPlan | undefined>;
  /**
   * Writes which job the agent runs, once: if the launch's runner is this one and `runs` is absent or the same. Also
   * writes how the job ended, once. Binds a launch that is over, too: its record then says what its agent ran.
   *
   * @returns the record in effect; undefined when the launch has none, or its runner is another
   */
  bind(launchId: LaunchId, runner: RunnerOfJob, job: BoundJob, atEpochMs: number): Promise<LaunchRecord | undefined>;
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

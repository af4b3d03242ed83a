import type { Diagnostics } from '../domain/diagnostics.ts';
import type { Ending, Generation, LaunchRecord, LaunchStatus, Signal } from '../domain/launch-record.ts';
import type { LaunchPlan } from '../domain/launch-state.ts';
import type { AgentIdentity } from './credentials.ts';

/** A launch whose record cannot be read: somebody has edited or damaged it. */
export interface UnreadableLaunch {
  launchId: string;
  /** What is wrong with the record, without its content. */
  why: string;
}

/** Records that were read together. A launch without a record is in neither list. */
export interface FoundLaunches {
  /** By launch id. */
  records: ReadonlyMap<string, LaunchRecord>;
  unreadable: UnreadableLaunch[];
}

/** One page of launches, newest first within each status. */
export interface LaunchPage {
  launches: LaunchRecord[];
  /** The launches of this page that cannot be shown; they do not count towards the limit. */
  unreadable: UnreadableLaunch[];
  /** Where the next page begins; absent on the last page. */
  cursor?: string;
}

/** Which launches `end` leaves as they are. */
export interface EndOptions {
  /** Leaves a launch whose agent has connected alone. @default false */
  unlessConnected?: boolean;
  /** Leaves a launch whose agent runs a job alone. @default false */
  unlessRunning?: boolean;
}

/**
 * The launches table: one record per launch. Every write is conditional and repeatable, and every read but `list` is
 * strongly consistent. Any method may throw TransientError StoreUnavailable. A method that reads many launches reports
 * an unreadable record; a method that reads one launch throws.
 */
export interface Launches {
  /** Puts the record if its launch has none. @returns the record in effect, and whether it is this one */
  request(record: LaunchRecord): Promise<{ created: boolean; record: LaunchRecord }>;
  get(launchId: string): Promise<LaunchRecord | undefined>;
  getMany(launchIds: readonly string[]): Promise<FoundLaunches>;
  /** @param cursor of an earlier page; undefined is returned for one that is not ours */
  list(query: { statuses: readonly LaunchStatus[]; limit: number; cursor?: string }): Promise<LaunchPage | undefined>;
  /**
   * Records what the cluster says. The same code of the same container keeps the moment it was first recorded with.
   *
   * @returns the signal in effect, with that moment; as given, when the launch has no record
   */
  noteSignal(launchId: string, signal: Signal): Promise<Signal>;
  /**
   * Removes the signal of a launch that is `launching`, if it began by that moment: the Pod was seen well then. What a CI
   * system said stays until `Registrations.complete`. Repeatable.
   */
  clearSignal(launchId: string, seenWellAtEpochMs: number): Promise<void>;
  /**
   * Marks a live launch as connected, once: the first moment stays. A launch that joins a CI system is marked by
   * `Registrations.complete` alone.
   *
   * @returns the agent's plan; undefined when the launch is over or unknown, joins a CI system, or the agent is of an
   *   earlier generation
   */
  markConnected(
    agent: Pick<AgentIdentity, 'agentName' | 'launchId'>,
    atEpochMs: number,
  ): Promise<LaunchPlan | undefined>;
  /**
   * Gives a `launching` launch its next generation's plan, if its present agent is the one in `ended`. From then on, only
   * the new agent can connect or register.
   *
   * @returns the record in effect; undefined when the launch has none
   */
  relaunch(plan: LaunchPlan, ended: Generation): Promise<LaunchRecord | undefined>;
  /**
   * Moves a live launch to `cleaning` with this ending; the first ending stays. With `unlessConnected` the write itself
   * checks that the launch is `launching`, so an agent that connects a moment earlier stays; with `unlessRunning`, that no
   * job is bound to it.
   *
   * @returns the record in effect: live for a launch that was left alone, undefined when the launch has none
   */
  end(launchId: string, ending: Ending, options?: EndOptions): Promise<LaunchRecord | undefined>;
  /** Stores the diagnostics of a `cleaning` launch; the first ones stay. */
  noteDiagnostics(launchId: string, diagnostics: Diagnostics): Promise<void>;
  /**
   * Claims the next request for a clean-up, if the launch is `cleaning` and nobody has claimed one since a moment. Only
   * one of several concurrent callers gets true, so repeats do not pile up. After a lost answer, a repeat may get false.
   */
  claimCleanUp(launchId: string, atEpochMs: number, notSinceEpochMs: number): Promise<boolean>;
  /** Moves a launch from `cleaning` to its ending's outcome, after everything is gone. Repeatable. */
  markCleaned(launchId: string, atEpochMs: number): Promise<void>;
}

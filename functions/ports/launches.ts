import type { Diagnostics } from '../domain/diagnostics.ts';
import type { Ending, Generation, LaunchRecord, LaunchStatus, Signal } from '../domain/launch-record.ts';
import type { LaunchPlan } from '../domain/launch-state.ts';
import type { AgentIdentity } from './credentials.ts';

/** A launch that has a record of which nothing can be made: somebody has written it by hand, or damaged it. */
export interface UnreadableLaunch {
  launchId: string;
  /** What is wrong with the record, without what is in it. */
  why: string;
}

/** Records that were read at once: a launch without one is in neither of the two. */
export interface FoundLaunches {
  /** By launch id. */
  records: ReadonlyMap<string, LaunchRecord>;
  unreadable: UnreadableLaunch[];
}

/** One page of launches, newest first within each status. */
export interface LaunchPage {
  launches: LaunchRecord[];
  /** Those among them that cannot be shown; they do not count towards the limit. */
  unreadable: UnreadableLaunch[];
  /** Give it back to read on; absent on the last page. */
  cursor?: string;
}

/**
 * The launches table: one record a launch, every write conditional and repeatable, every read strongly consistent but
 * `list`. Any method may throw TransientError StoreUnavailable. What reads many launches does not fail for one that cannot
 * be read; what is about that one alone throws.
 */
export interface Launches {
  /** Puts the record if its launch has none; returns the record in effect, and whether it is this one. */
  request(record: LaunchRecord): Promise<{ created: boolean; record: LaunchRecord }>;
  get(launchId: string): Promise<LaunchRecord | undefined>;
  getMany(launchIds: readonly string[]): Promise<FoundLaunches>;
  /** @param cursor of an earlier page; undefined is returned for one that is not ours */
  list(query: { statuses: readonly LaunchStatus[]; limit: number; cursor?: string }): Promise<LaunchPage | undefined>;
  /**
   * Remembers what the cluster says; the same code again keeps the moment it was first said.
   *
   * @returns the signal in effect, with that moment; as given, when the launch has no record
   */
  noteSignal(launchId: string, signal: Signal): Promise<Signal>;
  /**
   * Marks a live launch as connected, once: the first moment stays. Returns the plan that the agent is of; undefined
   * when the launch is over or unknown, or when the agent is of an earlier generation.
   */
  markConnected(
    agent: Pick<AgentIdentity, 'agentName' | 'launchId'>,
    atEpochMs: number,
  ): Promise<LaunchPlan | undefined>;
  /**
   * Gives a launch that is `launching` its next generation's plan, if its present agent is the one of `ended`; from then
   * on no other agent is let in. Returns the record in effect, undefined when the launch has none.
   */
  relaunch(plan: LaunchPlan, ended: Generation): Promise<LaunchRecord | undefined>;
  /**
   * Moves a live launch to `cleaning` with this ending; the first ending stays. Returns the record in effect, undefined
   * when the launch has none.
   */
  end(launchId: string, ending: Ending): Promise<LaunchRecord | undefined>;
  /** Keeps what the cluster told of a launch that is `cleaning`; the first that is kept stays. */
  noteDiagnostics(launchId: string, diagnostics: Diagnostics): Promise<void>;
  /**
   * Notes that a clean-up is asked for again, if the launch is `cleaning` and that was not noted since a moment: true
   * for one of those who ask at once, so that repeats do not pile up. One whose answer is lost may be told false.
   */
  claimCleanUp(launchId: string, atEpochMs: number, notSinceEpochMs: number): Promise<boolean>;
  /** Moves a launch from `cleaning` to its ending's outcome, when everything is gone. Repeatable. */
  markCleaned(launchId: string, atEpochMs: number): Promise<void>;
}

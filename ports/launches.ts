import type { LaunchFilter } from '../core/launch/launch-filter.ts';
import type {
  Ending,
  EndOptions,
  Generation,
  LaunchRecord,
  LaunchStatus,
  LeftBehind,
  PodState,
  Signal,
} from '../core/launch/launch-record.ts';
import type { LaunchPlan } from '../core/launch/launch-state.ts';
import type { LaunchId } from '../core/launch/names.ts';
import type { Timeline } from '../core/launch/timeline.ts';
import type { Diagnostics } from '../core/pod/diagnostics.ts';
import type { AgentIdentity } from './credentials.ts';

/** A launch whose record cannot be read, because it was edited or damaged. */
export interface UnreadableLaunch {
  launchId: string;
  /** The problems of the record, without its content. */
  why: string;
}

/** Records that were read together. A launch without a record is in neither list. */
export interface FoundLaunches {
  /** By launch id. */
  records: ReadonlyMap<string, LaunchRecord>;
  unreadable: UnreadableLaunch[];
}

/** The launches to list. */
export interface LaunchQuery {
  statuses: readonly LaunchStatus[];
  /** @default all of these statuses */
  filter?: LaunchFilter;
  /** The most launches of a page. */
  limit: number;
  /** The cursor of an earlier page of the same query. */
  cursor?: string;
}

/** One page of launches, newest first within each status. With a filter, it may have fewer than the limit, even none. */
export interface LaunchPage {
  launches: LaunchRecord[];
  /** The launches of this page that cannot be shown; they do not count towards the limit. */
  unreadable: UnreadableLaunch[];
  /** Where the next page begins; absent on the last page. */
  cursor?: string;
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
  /**
   * Reads what can be read of a record, whether or not it is damaged: a launch with a damaged record can still be ended and
   * cleaned up. A plan that does not parse is absent, as from a tombstone.
   */
  salvage(launchId: string): Promise<LaunchRecord | undefined>;
  getMany(launchIds: readonly string[]): Promise<FoundLaunches>;
  /** @returns undefined for a cursor that is not ours */
  list(query: LaunchQuery): Promise<LaunchPage | undefined>;
  /**
   * Lists the launches of a pool whose agents stand by, oldest first: by an index, which may be some moments behind the
   * records, in either direction.
   *
   * @param poolKey by `poolKeyOf`
   * @param limit the most launches to list
   */
  listStandby(poolKey: string, limit: number): Promise<LaunchId[]>;
  /**
   * Records what the cluster says. The same code of the same container keeps the moment it was first recorded with.
   *
   * @param agentName the agent that the signal is about: nothing is recorded about one of an earlier generation.
   *   @default the signal is about no agent in particular
   * @param timeline how far a `launching` launch has come. @default the record keeps its timeline
   * @returns the signal in effect, with that moment; as given, when the launch has no record
   */
  noteSignal(launchId: string, signal: Signal, agentName?: string, timeline?: Timeline): Promise<Signal>;
  /**
   * Records the last state of the Pod that a `launching` launch waits for, and how far the launch has come. Records nothing
   * about an agent of an earlier generation, and writes the same words only once.
   */
  notePodState(launchId: string, podState: PodState, agentName: string, timeline: Timeline): Promise<void>;
  /**
   * Records how far the present agent of a `launching` launch has come, and nothing about one of an earlier generation.
   * Repeatable.
   */
  noteTimeline(launchId: string, agentName: string, timeline: Timeline): Promise<void>;
  /**
   * Removes the signal of a `launching` launch, if it began by that moment, when the Pod was healthy. A signal of a CI
   * system stays until `Registrations.complete`. Repeatable.
   */
  clearSignal(launchId: string, seenWellAtEpochMs: number): Promise<void>;
  /**
   * Marks a live launch as connected, once: the first moment stays. Only `Registrations.complete` marks a launch that
   * joins a CI system.
   *
   * @param timeline how the launch came to its token. @default the record keeps its timeline
   * @returns the agent's plan; undefined when the launch is over or unknown, joins a CI system, or the agent is of an
   *   earlier generation
   */
  markConnected(
    agent: Pick<AgentIdentity, 'agentName' | 'launchId'>,
    atEpochMs: number,
    timeline?: Timeline,
  ): Promise<LaunchPlan | undefined>;
  /**
   * Gives a `launching` launch its next generation's plan, if its present agent is the one in `ended`. From then on, only
   * the new agent can connect or register. The record's timeline goes to the generation that ended, with the steps in `ended`.
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
   * Claims the next request for a clean-up, if the launch is `cleaning` and no caller has claimed one since a moment.
   * Only one of several concurrent callers gets true, so repeats do not pile up. After a lost answer, a repeat may get
   * false.
   */
  claimCleanUp(launchId: string, atEpochMs: number, notSinceEpochMs: number): Promise<boolean>;
  /**
   * Moves a launch from `cleaning` to its ending's outcome, after everything is gone. Repeatable.
   *
   * @param timeline with the times of the removed Pod. @default the record keeps its timeline
   */
  markCleaned(launchId: string, atEpochMs: number, timeline?: Timeline): Promise<void>;
  /** Moves a launch from `cleaning` to its ending's outcome, although davit has not looked in some clusters. Repeatable. */
  markLeft(launchId: string, left: LeftBehind): Promise<void>;
}

import type {
  Ending,
  EndOptions,
  Generation,
  LaunchRecord,
  LeftBehind,
  PodState,
  Signal,
} from '../../core/launch/launch-record.ts';
import type { LaunchPlan } from '../../core/launch/launch-state.ts';
import type { LaunchId } from '../../core/launch/names.ts';
import type { Timeline } from '../../core/launch/timeline.ts';
import * as transitions from '../../core/launch/transitions.ts';
import type { Diagnostics } from '../../core/pod/diagnostics.ts';
import type { Transition } from '../../core/transition.ts';
import type { AgentIdentity } from '../../ports/credentials.ts';
import type { FoundLaunches, Launches, LaunchPage, LaunchQuery } from '../../ports/launches.ts';
import type { RecordStore } from '../../ports/record-store.ts';
import { type ChangedRecord, changeRecord, unreadable } from './change-record.ts';

/** A store's own ways to read many launches. */
type ManyLaunches = Pick<Launches, 'getMany' | 'list' | 'listStandby'>;

/** The launches in a store of records: each method is one transition, or a read. */
export class LaunchesIn implements Launches {
  readonly #store: RecordStore<LaunchRecord>;
  readonly #many: ManyLaunches;

  constructor(store: RecordStore<LaunchRecord>, many: ManyLaunches) {
    this.#store = store;
    this.#many = many;
  }

  async request(requested: LaunchRecord): Promise<{ created: boolean; record: LaunchRecord }> {
    const { record, isWritten } = await this.#change(requested.launchId, 'request', transitions.request(requested));
    return { created: isWritten, record: record ?? requested };
  }

  async get(launchId: string): Promise<LaunchRecord | undefined> {
    const stored = await this.#store.read(launchId);
    if (stored?.damage !== undefined) throw unreadable(launchId, stored.damage);
    return stored?.record;
  }

  async salvage(launchId: string): Promise<LaunchRecord | undefined> {
    return (await this.#store.read(launchId))?.record;
  }

  getMany(launchIds: readonly string[]): Promise<FoundLaunches> {
    return this.#many.getMany(launchIds);
  }

  list(query: LaunchQuery): Promise<LaunchPage | undefined> {
    return this.#many.list(query);
  }

  listStandby(poolKey: string, limit: number): Promise<LaunchId[]> {
    return this.#many.listStandby(poolKey, limit);
  }

  async noteSignal(launchId: string, signal: Signal, agentName?: string, timeline?: Timeline): Promise<Signal> {
    const noted = transitions.noteSignal(signal, agentName, timeline);
    const { record } = await this.#change(launchId, 'noteSignal', noted);
    return record?.signal ?? signal;
  }

  async notePodState(launchId: string, podState: PodState, agentName: string, timeline: Timeline): Promise<void> {
    await this.#change(launchId, 'notePodState', transitions.notePodState(podState, agentName, timeline));
  }

  async noteTimeline(launchId: string, agentName: string, timeline: Timeline): Promise<void> {
    await this.#change(launchId, 'noteTimeline', transitions.noteTimeline(agentName, timeline));
  }

  async clearSignal(launchId: string, seenWellAtEpochMs: number): Promise<void> {
    await this.#change(launchId, 'clearSignal', transitions.clearSignal(seenWellAtEpochMs));
  }

  async markConnected(
    { launchId, agentName }: Pick<AgentIdentity, 'agentName' | 'launchId'>,
    atEpochMs: number,
    timeline?: Timeline,
  ): Promise<LaunchPlan | undefined> {
    const connected = transitions.markConnected(agentName, atEpochMs, timeline);
    const { record } = await this.#change(launchId, 'markConnected', connected);
    return transitions.isConnectedAlone(record, agentName) ? record?.plan : undefined;
  }

  async relaunch(plan: LaunchPlan, ended: Generation): Promise<LaunchRecord | undefined> {
    return (await this.#change(plan.launchId, 'relaunch', transitions.relaunch(plan, ended))).record;
  }

  async end(launchId: string, ending: Ending, options: EndOptions = {}): Promise<LaunchRecord | undefined> {
    return (await this.#changeOver(launchId, 'end', transitions.end(ending, options))).record;
  }

  async noteDiagnostics(launchId: string, diagnostics: Diagnostics): Promise<void> {
    await this.#changeOver(launchId, 'noteDiagnostics', transitions.noteDiagnostics(diagnostics));
  }

  async claimCleanUp(launchId: string, atEpochMs: number, notSinceEpochMs: number): Promise<boolean> {
    const claimed = transitions.claimCleanUp(atEpochMs, notSinceEpochMs);
    return (await this.#changeOver(launchId, 'claimCleanUp', claimed)).isWritten;
  }

  async markCleaned(launchId: string, atEpochMs: number, timeline?: Timeline): Promise<void> {
    await this.#changeOver(launchId, 'markCleaned', transitions.markCleaned(atEpochMs, timeline));
  }

  async markLeft(launchId: string, left: LeftBehind): Promise<void> {
    await this.#changeOver(launchId, 'markLeft', transitions.markLeft(left));
  }

  #change(
    key: string,
    name: keyof Launches,
    transition: Transition<LaunchRecord>,
  ): Promise<ChangedRecord<LaunchRecord>> {
    return changeRecord(this.#store, { key, name, transition });
  }

  /** Ends a launch or cleans up after it, even if its record is damaged. */
  #changeOver(
    key: string,
    name: keyof Launches,
    transition: Transition<LaunchRecord>,
  ): Promise<ChangedRecord<LaunchRecord>> {
    return changeRecord(this.#store, { key, name, transition, evenIfDamaged: true });
  }
}

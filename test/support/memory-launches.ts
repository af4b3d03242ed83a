import type { Diagnostics } from '../../functions/domain/diagnostics.ts';
import {
  type Ending,
  type Generation,
  isCiTrouble,
  isLive,
  isPresentAgent,
  type LaunchRecord,
  type LeftBehind,
  type Signal,
} from '../../functions/domain/launch-record.ts';
import type { LaunchPlan } from '../../functions/domain/launch-state.ts';
import { present } from '../../functions/domain/present.ts';
import type { Timeline } from '../../functions/domain/timeline.ts';
import type { EndOptions, FoundLaunches, Launches, LaunchPage, LaunchQuery } from '../../functions/ports/launches.ts';
import { pageOf, splitByDamage } from '../../simulation/world/launch-pages.ts';

/** The launches table in memory, with exactly the port's rules. It copies records on writes and reads. */
export class MemoryLaunches implements Launches {
  private readonly records = new Map<string, LaunchRecord>();
  private readonly damaged = new Set<string>();

  /** Makes a launch's record unreadable. */
  damage(launchId: string): void {
    this.damaged.add(launchId);
  }

  async request(record: LaunchRecord): Promise<{ created: boolean; record: LaunchRecord }> {
    const existing = this.records.get(record.launchId);
    if (existing !== undefined) return { created: false, record: structuredClone(existing) };
    return { created: true, record: this.put(record) };
  }

  async get(launchId: string): Promise<LaunchRecord | undefined> {
    if (this.damaged.has(launchId)) throw new Error(`the record of ${launchId} cannot be read`);
    return structuredClone(this.records.get(launchId));
  }

  async getMany(launchIds: readonly string[]): Promise<FoundLaunches> {
    const found = [...new Set(launchIds)].flatMap((launchId) => this.records.get(launchId) ?? []);
    const { launches, unreadable } = structuredClone(splitByDamage(found, this.damaged));
    return { records: new Map(launches.map((record) => [record.launchId, record])), unreadable };
  }

  async list(query: LaunchQuery): Promise<LaunchPage | undefined> {
    return structuredClone(pageOf([...this.records.values()], query, this.damaged));
  }

  async noteSignal(launchId: string, signal: Signal, agentName?: string): Promise<Signal> {
    const record = this.records.get(launchId);
    if (record === undefined || !isLive(record)) return record?.signal ?? signal;
    if (agentName !== undefined && record.plan?.agentName !== agentName) return record.signal ?? signal;
    const { signal: before } = record;
    const isSame = before?.code === signal.code && before.container === signal.container;
    const noted = { ...signal, sinceEpochMs: isSame ? before.sinceEpochMs : signal.sinceEpochMs };
    this.put({ ...record, signal: noted });
    return noted;
  }

  async clearSignal(launchId: string, seenWellAtEpochMs: number): Promise<void> {
    const record = this.records.get(launchId);
    const { signal } = record ?? {};
    if (record?.status !== 'launching' || signal === undefined || isCiTrouble(signal)) return;
    if (signal.sinceEpochMs > seenWellAtEpochMs) return;
    const { signal: _signal, ...kept } = record;
    this.put(kept);
  }

  async markConnected(
    { launchId, agentName }: Parameters<Launches['markConnected']>[0],
    atEpochMs: number,
    timeline?: Timeline,
  ): Promise<LaunchPlan | undefined> {
    const record = this.records.get(launchId);
    if (record === undefined || !isPresentAgent(record, agentName) || record.plan?.join !== undefined) return undefined;
    if (record.status === 'connected') return record.plan;
    return this.put({ ...record, status: 'connected', connectedAtEpochMs: atEpochMs, ...present({ timeline }) }).plan;
  }

  async relaunch(plan: LaunchPlan, ended: Generation): Promise<LaunchRecord | undefined> {
    const record = this.records.get(plan.launchId);
    if (record?.status !== 'launching' || record.plan?.agentName !== ended.agentName) return structuredClone(record);
    const { signal: _signal, registration: _registration, timeline: _timeline, ...kept } = record;
    return this.put({ ...kept, plan, generations: [...(record.generations ?? []), ended] });
  }

  async end(launchId: string, ending: Ending, { unlessConnected, unlessRunning, timeline }: EndOptions = {}) {
    const record = this.records.get(launchId);
    if (record === undefined) return undefined;
    const isSpared =
      !isLive(record) || (unlessConnected && record.status === 'connected') || (unlessRunning && record.runs);
    return isSpared
      ? structuredClone(record)
      : this.put({ ...record, status: 'cleaning', ending, ...present({ timeline }) });
  }

  async noteDiagnostics(launchId: string, diagnostics: Diagnostics): Promise<void> {
    const record = this.records.get(launchId);
    if (record?.status === 'cleaning' && record.diagnostics === undefined) this.put({ ...record, diagnostics });
  }

  async claimCleanUp(launchId: string, atEpochMs: number, notSinceEpochMs: number): Promise<boolean> {
    const record = this.records.get(launchId);
    if (record?.status !== 'cleaning' || (record.cleanUpAskedAtEpochMs ?? 0) > notSinceEpochMs) return false;
    this.put({ ...record, cleanUpAskedAtEpochMs: atEpochMs });
    return true;
  }

  async markCleaned(launchId: string, atEpochMs: number, timeline?: Timeline): Promise<void> {
    const record = this.records.get(launchId);
    if (record?.status !== 'cleaning' || record.ending === undefined) return;
    const cleanedAtEpochMs = atEpochMs;
    this.put({ ...record, status: record.ending.outcome, cleanedAtEpochMs, ...present({ timeline }) });
  }

  async markLeft(launchId: string, left: LeftBehind): Promise<void> {
    const record = this.records.get(launchId);
    if (record?.status !== 'cleaning' || record.ending === undefined) return;
    this.put({ ...record, status: record.ending.outcome, left });
  }

  /**
   * Changes a record if the condition holds.
   *
   * @returns the changed record; undefined when the condition does not hold
   */
  updateIf(
    launchId: string,
    condition: (record: LaunchRecord) => boolean,
    change: (record: LaunchRecord) => LaunchRecord,
  ): LaunchRecord | undefined {
    const record = this.records.get(launchId);
    return record !== undefined && condition(record) ? this.put(change(record)) : undefined;
  }

  private put(record: LaunchRecord): LaunchRecord {
    this.records.set(record.launchId, structuredClone(record));
    return structuredClone(record);
  }
}

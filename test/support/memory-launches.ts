import * as z from 'zod';
import type { Diagnostics } from '../../functions/domain/diagnostics.ts';
import type { Ending, Generation, LaunchRecord, LaunchStatus, Signal } from '../../functions/domain/launch-record.ts';
import { isLive, LaunchStatus as LaunchStatusSchema } from '../../functions/domain/launch-record.ts';
import type { LaunchPlan } from '../../functions/domain/launch-state.ts';
import type { FoundLaunches, Launches, LaunchPage } from '../../functions/ports/launches.ts';

const Cursor = z.strictObject({ status: LaunchStatusSchema, requestedAtEpochMs: z.int(), launchId: z.string() });
type Cursor = z.infer<typeof Cursor>;

/** The launches table in memory: what the port says, and no more. Records go in and out as copies. */
export class MemoryLaunches implements Launches {
  private readonly records = new Map<string, LaunchRecord>();
  private readonly damaged = new Set<string>();

  /** Makes a launch's record one that cannot be read. */
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
    const { launches, unreadable } = this.split(found);
    return { records: new Map(launches.map((record) => [record.launchId, record])), unreadable };
  }

  async list(query: {
    statuses: readonly LaunchStatus[];
    limit: number;
    cursor?: string;
  }): Promise<LaunchPage | undefined> {
    const after = query.cursor === undefined ? undefined : parseCursor(query.cursor);
    if (query.cursor !== undefined && after === undefined) return undefined;
    const compare = byStatusThenNewest(query.statuses);
    const rest = [...this.records.values()]
      .filter(({ status }) => query.statuses.includes(status))
      .filter((record) => after === undefined || compare(record, after) > 0)
      .sort(compare);
    const readable = rest.filter(({ launchId }) => !this.damaged.has(launchId));
    const last = readable.length > query.limit ? readable[query.limit - 1] : undefined;
    if (last === undefined) return this.split(rest);
    return { ...this.split(rest.slice(0, rest.indexOf(last) + 1)), cursor: cursorOf(last) };
  }

  async noteSignal(launchId: string, signal: Signal): Promise<Signal> {
    const record = this.records.get(launchId);
    if (record === undefined || !isLive(record)) return record?.signal ?? signal;
    const sinceEpochMs = record.signal?.code === signal.code ? record.signal.sinceEpochMs : signal.sinceEpochMs;
    const noted = { ...signal, sinceEpochMs };
    this.put({ ...record, signal: noted });
    return noted;
  }

  async markConnected(
    { launchId, agentName }: Parameters<Launches['markConnected']>[0],
    atEpochMs: number,
  ): Promise<LaunchPlan | undefined> {
    const record = this.records.get(launchId);
    if (record === undefined || !isLive(record) || record.plan?.agentName !== agentName) return undefined;
    const connectedAtEpochMs = record.connectedAtEpochMs ?? atEpochMs;
    return this.put({ ...record, status: 'connected', connectedAtEpochMs }).plan;
  }

  async relaunch(plan: LaunchPlan, ended: Generation): Promise<LaunchRecord | undefined> {
    const record = this.records.get(plan.launchId);
    if (record?.status !== 'launching' || record.plan?.agentName !== ended.agentName) return structuredClone(record);
    const { signal: _signal, ...kept } = record;
    return this.put({ ...kept, plan, generations: [...(record.generations ?? []), ended] });
  }

  async end(launchId: string, ending: Ending): Promise<LaunchRecord | undefined> {
    const record = this.records.get(launchId);
    if (record === undefined) return undefined;
    return isLive(record) ? this.put({ ...record, status: 'cleaning', ending }) : structuredClone(record);
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

  async markCleaned(launchId: string, atEpochMs: number): Promise<void> {
    const record = this.records.get(launchId);
    if (record?.status !== 'cleaning' || record.ending === undefined) return;
    this.put({ ...record, status: record.ending.outcome, cleanedAtEpochMs: atEpochMs });
  }

  private split(found: readonly LaunchRecord[]): Pick<LaunchPage, 'launches' | 'unreadable'> {
    const isDamaged = ({ launchId }: LaunchRecord) => this.damaged.has(launchId);
    const unreadable = found.filter(isDamaged).map(({ launchId }) => ({ launchId, why: 'damaged' }));
    return { launches: structuredClone(found.filter((record) => !isDamaged(record))), unreadable };
  }

  private put(record: LaunchRecord): LaunchRecord {
    this.records.set(record.launchId, structuredClone(record));
    return structuredClone(record);
  }
}

function byStatusThenNewest(statuses: readonly LaunchStatus[]): (one: Cursor, other: Cursor) => number {
  return (one, other) =>
    statuses.indexOf(one.status) - statuses.indexOf(other.status) ||
    other.requestedAtEpochMs - one.requestedAtEpochMs ||
    one.launchId.localeCompare(other.launchId);
}

function cursorOf({ status, requestedAtEpochMs, launchId }: LaunchRecord): string {
  return Buffer.from(JSON.stringify({ status, requestedAtEpochMs, launchId })).toString('base64url');
}

function parseCursor(text: string): Cursor | undefined {
  try {
    return Cursor.safeParse(JSON.parse(Buffer.from(text, 'base64url').toString())).data;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

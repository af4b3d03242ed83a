import type { Diagnostics } from '../../../functions/domain/diagnostics.ts';
import type { Ending, Generation, LaunchRecord, Signal } from '../../../functions/domain/launch-record.ts';
import { isLive } from '../../../functions/domain/launch-record.ts';
import type { LaunchPlan } from '../../../functions/domain/launch-state.ts';
import type { FoundLaunches, Launches } from '../../../functions/ports/launches.ts';
import type { Core } from './core.ts';
import type { Invocation } from './invocation.ts';

/** The launches table: each method is one request to DynamoDB, and has its effect at one moment. */
export class LaunchesTable {
  readonly #core: Core;
  readonly #records = new Map<string, LaunchRecord>();
  /** What the index has seen, which is behind the table at times. */
  #index: readonly LaunchRecord[] = [];

  constructor(core: Core) {
    this.#core = core;
  }

  get(launchId: string): LaunchRecord | undefined {
    return this.#records.get(launchId);
  }

  all(): LaunchRecord[] {
    return [...this.#records.values()];
  }

  /** Lists through the index, which may be as it was when it was listed before. */
  list(): readonly LaunchRecord[] {
    if (!this.#core.faults.hits('staleList', undefined)) this.#index = this.all();
    return this.#index;
  }

  /** @returns whether there was none */
  putNew(record: LaunchRecord): boolean {
    if (this.#records.has(record.launchId)) return false;
    this.put(record);
    return true;
  }

  /** Changes a record if the condition holds. @returns the record as it is then */
  updateIf(
    launchId: string,
    condition: (record: LaunchRecord) => boolean,
    change: (record: LaunchRecord) => LaunchRecord,
  ): LaunchRecord | undefined {
    const record = this.#records.get(launchId);
    return record !== undefined && condition(record) ? this.put(change(record)) : undefined;
  }

  /** Writes a record without any condition: davit never does. */
  put(record: LaunchRecord): LaunchRecord {
    const before = this.#records.get(record.launchId);
    this.#records.set(record.launchId, record);
    if (before?.status !== record.status) {
      const { launchId, status: to, ending } = record;
      this.#core.history.add({ kind: 'recorded', launchId, from: before?.status, to, ending });
    }
    return record;
  }
}

/** The launches table as one run of a function reaches it, request by request as the DynamoDB adapter makes them. */
export class SimulatedLaunches implements Launches {
  readonly #table: LaunchesTable;
  readonly #invocation: Invocation;

  constructor(table: LaunchesTable, invocation: Invocation) {
    this.#table = table;
    this.#invocation = invocation;
  }

  async request(record: LaunchRecord): Promise<{ created: boolean; record: LaunchRecord }> {
    if (await this.#writes(() => this.#table.putNew(record))) return { created: true, record };
    const existing = await this.get(record.launchId);
    if (existing === undefined) throw new RangeError('records do not expire in a simulation');
    return { created: false, record: existing };
  }

  async get(launchId: string): Promise<LaunchRecord | undefined> {
    return this.#invocation.reads('store', () => this.#table.get(launchId));
  }

  async getMany(launchIds: readonly string[]): Promise<FoundLaunches> {
    return this.#invocation.reads('store', () => {
      const wanted = new Set(launchIds);
      const found = this.#table.all().filter(({ launchId }) => wanted.has(launchId));
      return { records: new Map(found.map((record) => [record.launchId, record])), unreadable: [] };
    });
  }

  async list({ statuses, limit, cursor }: Parameters<Launches['list']>[0]): ReturnType<Launches['list']> {
    return this.#invocation.reads('store', () => {
      const found = this.#table
        .list()
        .filter(({ status, launchId }) => statuses.includes(status) && (cursor === undefined || launchId > cursor))
        .sort((one, other) => (one.launchId < other.launchId ? -1 : 1));
      const launches = found.slice(0, limit);
      const last = launches.at(-1);
      const page = { launches, unreadable: [] };
      return last !== undefined && found.length > limit ? { ...page, cursor: last.launchId } : page;
    });
  }

  async noteSignal(launchId: string, signal: Signal): Promise<Signal> {
    const again = await this.#writes(() =>
      this.#table.updateIf(
        launchId,
        (record) => isLive(record) && record.signal?.code === signal.code,
        (record) => ({ ...record, signal: { ...signal, sinceEpochMs: record.signal?.sinceEpochMs ?? 0 } }),
      ),
    );
    if (again !== undefined) return again.signal ?? signal;
    const changed = await this.#writes(() =>
      this.#table.updateIf(
        launchId,
        (record) => isLive(record) && record.signal?.code !== signal.code,
        (record) => ({ ...record, signal }),
      ),
    );
    return (changed ?? (await this.get(launchId)))?.signal ?? signal;
  }

  async markConnected(
    { launchId, agentName }: Parameters<Launches['markConnected']>[0],
    atEpochMs: number,
  ): Promise<LaunchPlan | undefined> {
    const connected = await this.#writes(() =>
      this.#table.updateIf(
        launchId,
        ({ status, plan }) => status === 'launching' && plan?.agentName === agentName,
        (record) => ({ ...record, status: 'connected', connectedAtEpochMs: atEpochMs }),
      ),
    );
    const record = connected ?? (await this.get(launchId));
    return record?.status === 'connected' && record.plan?.agentName === agentName ? record.plan : undefined;
  }

  async relaunch(plan: LaunchPlan, ended: Generation): Promise<LaunchRecord | undefined> {
    const relaunched = await this.#writes(() =>
      this.#table.updateIf(
        plan.launchId,
        (record) => record.status === 'launching' && record.plan?.agentName === ended.agentName,
        ({ signal: _signal, ...record }) => ({
          ...record,
          plan,
          generations: [...(record.generations ?? []), ended],
        }),
      ),
    );
    return relaunched ?? this.get(plan.launchId);
  }

  async end(launchId: string, ending: Ending): Promise<LaunchRecord | undefined> {
    const ended = await this.#writes(() =>
      this.#table.updateIf(launchId, isLive, (record) => ({ ...record, status: 'cleaning', ending })),
    );
    if (ended !== undefined) return ended;
    const record = await this.get(launchId);
    return isLive(record) ? this.end(launchId, ending) : record;
  }

  async noteDiagnostics(launchId: string, diagnostics: Diagnostics): Promise<void> {
    await this.#writes(() =>
      this.#table.updateIf(
        launchId,
        (record) => record.status === 'cleaning' && record.diagnostics === undefined,
        (record) => ({ ...record, diagnostics }),
      ),
    );
  }

  async claimCleanUp(launchId: string, atEpochMs: number, notSinceEpochMs: number): Promise<boolean> {
    const claimed = await this.#writes(() =>
      this.#table.updateIf(
        launchId,
        ({ status, cleanUpAskedAtEpochMs = 0 }) => status === 'cleaning' && cleanUpAskedAtEpochMs <= notSinceEpochMs,
        (record) => ({ ...record, cleanUpAskedAtEpochMs: atEpochMs }),
      ),
    );
    return claimed !== undefined;
  }

  async markCleaned(launchId: string, atEpochMs: number): Promise<void> {
    await this.#writes(() =>
      this.#table.updateIf(
        launchId,
        ({ status }) => status === 'cleaning',
        (record) => ({ ...record, status: record.ending?.outcome ?? 'failed', cleanedAtEpochMs: atEpochMs }),
      ),
    );
  }

  async #writes<Answer>(effect: () => Answer): Promise<Answer> {
    return this.#invocation.writes('store', effect);
  }
}

import type { Diagnostics } from '../../functions/domain/diagnostics.ts';
import { TransientError } from '../../functions/domain/errors.ts';
import {
  type Ending,
  type Generation,
  isCiTrouble,
  isLive,
  isOver,
  type LaunchRecord,
  type LeftBehind,
  type Signal,
} from '../../functions/domain/launch-record.ts';
import type { LaunchPlan } from '../../functions/domain/launch-state.ts';
import { present } from '../../functions/domain/present.ts';
import type { Timeline } from '../../functions/domain/timeline.ts';
import type { EndOptions, FoundLaunches, Launches } from '../../functions/ports/launches.ts';
import { eventsOfLaunch } from '../../functions/publish-events/events-of-launch.ts';
import type { Core } from './core.ts';
import type { Invocation } from './invocation.ts';
import { type Damaged, pageOf, splitByDamage } from './launch-pages.ts';

/** How late DynamoDB removes an expired item, in milliseconds. */
export const longestRemovalMs = 48 * 3_600_000;

/** The launches table: each method is one request to DynamoDB, and has its effect at one moment. */
export class LaunchesTable {
  readonly #core: Core;
  /** Receives the launches that are over and held slots. */
  readonly #onFreed: (launchId: string) => void;
  readonly #records = new Map<string, LaunchRecord>();
  readonly #latest = new Map<string, LaunchRecord>();
  readonly #removedAtEpochMs = new Map<string, number>();
  readonly #damaged = new Set<string>();
  /** The index, which may lag behind the table. */
  #index: readonly LaunchRecord[] = [];

  constructor(core: Core, onFreed: (launchId: string) => void = () => undefined) {
    this.#core = core;
    this.#onFreed = onFreed;
  }

  get(launchId: string): LaunchRecord | undefined {
    this.#forgetIfExpired(launchId);
    return this.#records.get(launchId);
  }

  /** The launches with a damaged, unreadable record. */
  get damaged(): Damaged {
    return this.#damaged;
  }

  /** Makes a launch's record unreadable. */
  damage(launchId: string): void {
    this.#damaged.add(launchId);
  }

  all(): LaunchRecord[] {
    for (const launchId of this.#records.keys()) this.#forgetIfExpired(launchId);
    return [...this.#records.values()];
  }

  /** The latest record of each launch of the run. */
  latest(): LaunchRecord[] {
    return [...this.#latest.values()];
  }

  /** The latest record of a launch, even if it has expired. */
  latestOf(launchId: string): LaunchRecord | undefined {
    return this.#latest.get(launchId);
  }

  /** Lists by the index, which may show the state of an earlier list. */
  list(): readonly LaunchRecord[] {
    if (!this.#core.faults.hits('staleList', undefined)) this.#index = this.all();
    return this.#index;
  }

  /** @returns whether there was no record */
  putNew(record: LaunchRecord): boolean {
    if (this.get(record.launchId) !== undefined) return false;
    this.put(record);
    return true;
  }

  /** Changes a record if the condition holds. @returns the new record */
  updateIf(
    launchId: string,
    condition: (record: LaunchRecord) => boolean,
    change: (record: LaunchRecord) => LaunchRecord,
  ): LaunchRecord | undefined {
    const record = this.get(launchId);
    return record !== undefined && condition(record) ? this.put(change(record)) : undefined;
  }

  /** Writes a record without any condition: davit never does. */
  put(record: LaunchRecord): LaunchRecord {
    const before = this.#records.get(record.launchId);
    this.#records.set(record.launchId, record);
    this.#latest.set(record.launchId, record);
    this.#checkShown(before, record);
    if (before?.plan !== undefined && record.plan !== undefined && before.plan.generation !== record.plan.generation) {
      const { launchId, generations } = record;
      const { agentName, generation, cluster } = record.plan;
      const { agentName: endedAgent, cluster: endedCluster } = before.plan;
      const code = generations?.at(-1)?.code;
      const event = { launchId, agentName, endedAgent, generation, cluster, endedCluster, code };
      this.#core.history.add({ kind: 'relaunched', ...event });
    }
    const { runner, retiring } = record;
    if (runner !== undefined && before?.runner?.id !== runner.id) {
      this.#core.history.add({ kind: 'registered', launchId: record.launchId, runnerId: runner.id });
    }
    if (retiring !== undefined && before?.retiring === undefined) {
      this.#core.history.add({ kind: 'retiring', launchId: record.launchId, reason: retiring.reason });
    }
    if (before?.status !== record.status) {
      const { launchId, status: to, ending, plan } = record;
      const agentName = plan?.agentName;
      this.#core.history.add({ kind: 'recorded', launchId, agentName, from: before?.status, to, ending });
      if (plan?.slots !== undefined && isOver(record)) this.#onFreed(launchId);
    }
    return record;
  }

  /**
   * Checks that callers' values are in `env` alone, and that the change which the stream shows to publish-events has no
   * secret.
   */
  #checkShown(before: LaunchRecord | undefined, record: LaunchRecord): void {
    const { env: _env, plan: _plan, ...shown } = record;
    this.#core.shown.check('the record', record.launchId, shown);
    this.#core.shown.check('an event', record.launchId, eventsOfLaunch(before, record));
  }

  /** DynamoDB removes an expired item within about two days. */
  #forgetIfExpired(launchId: string): void {
    const record = this.#records.get(launchId);
    const { scheduler, random, history } = this.#core;
    const nowEpochMs = scheduler.nowEpochMs();
    if (record === undefined || nowEpochMs < record.expiresAtEpochSeconds * 1000) return;
    const known = this.#removedAtEpochMs.get(launchId);
    const removedAtEpochMs = known ?? record.expiresAtEpochSeconds * 1000 + random.between(0, longestRemovalMs);
    this.#removedAtEpochMs.set(launchId, removedAtEpochMs);
    if (nowEpochMs < removedAtEpochMs) return;
    this.#records.delete(launchId);
    this.#removedAtEpochMs.delete(launchId);
    history.add({ kind: 'forgotten', launchId, record });
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
    if (existing === undefined) throw new TransientError('WriteConflict', 'the launch had a record, which expired');
    return { created: false, record: existing };
  }

  get(launchId: string): Promise<LaunchRecord | undefined> {
    if (this.#table.damaged.has(launchId)) {
      return Promise.reject(new TypeError(`the record of ${launchId} cannot be read`));
    }
    return this.#invocation.reads('store', () => this.#table.get(launchId));
  }

  getMany(launchIds: readonly string[]): Promise<FoundLaunches> {
    return this.#invocation.reads('store', () => {
      const wanted = new Set(launchIds);
      const found = this.#table.all().filter(({ launchId }) => wanted.has(launchId));
      const { launches, unreadable } = splitByDamage(found, this.#table.damaged);
      return { records: new Map(launches.map((record) => [record.launchId, record])), unreadable };
    });
  }

  list(query: Parameters<Launches['list']>[0]): ReturnType<Launches['list']> {
    return this.#invocation.reads('store', () => pageOf(this.#table.list(), query, this.#table.damaged));
  }

  async noteSignal(launchId: string, signal: Signal, agentName?: string): Promise<Signal> {
    const mayNote = (record: LaunchRecord) =>
      isLive(record) && (agentName === undefined || record.plan?.agentName === agentName);
    const again = await this.#writes(() =>
      this.#table.updateIf(
        launchId,
        (record) => mayNote(record) && isSameTrouble(record.signal, signal),
        (record) => ({ ...record, signal: { ...signal, sinceEpochMs: record.signal?.sinceEpochMs ?? 0 } }),
      ),
    );
    if (again !== undefined) return again.signal ?? signal;
    const changed = await this.#writes(() =>
      this.#table.updateIf(
        launchId,
        (record) => mayNote(record) && !isSameTrouble(record.signal, signal),
        (record) => ({ ...record, signal }),
      ),
    );
    return (changed ?? (await this.get(launchId)))?.signal ?? signal;
  }

  async clearSignal(launchId: string, seenWellAtEpochMs: number): Promise<void> {
    await this.#writes(() =>
      this.#table.updateIf(
        launchId,
        ({ status, signal }) =>
          status === 'launching' &&
          signal !== undefined &&
          signal.sinceEpochMs <= seenWellAtEpochMs &&
          !isCiTrouble(signal),
        ({ signal: _signal, ...record }) => record,
      ),
    );
  }

  async markConnected(
    { launchId, agentName }: Parameters<Launches['markConnected']>[0],
    atEpochMs: number,
    timeline?: Timeline,
  ): Promise<LaunchPlan | undefined> {
    const connected = await this.#writes(() =>
      this.#table.updateIf(
        launchId,
        ({ status, plan }) => status === 'launching' && plan?.agentName === agentName && plan.join === undefined,
        (record) => ({ ...record, status: 'connected', connectedAtEpochMs: atEpochMs, ...present({ timeline }) }),
      ),
    );
    const record = connected ?? (await this.get(launchId));
    if (record?.status !== 'connected' || record.plan?.agentName !== agentName) return undefined;
    return record.plan.join === undefined ? record.plan : undefined;
  }

  async relaunch(plan: LaunchPlan, ended: Generation): Promise<LaunchRecord | undefined> {
    const relaunched = await this.#writes(() =>
      this.#table.updateIf(
        plan.launchId,
        (record) => record.status === 'launching' && record.plan?.agentName === ended.agentName,
        ({ signal: _signal, registration: _registration, timeline: _timeline, ...record }) => ({
          ...record,
          plan,
          generations: [...(record.generations ?? []), ended],
        }),
      ),
    );
    return relaunched ?? this.get(plan.launchId);
  }

  async end(launchId: string, ending: Ending, options: EndOptions = {}): Promise<LaunchRecord | undefined> {
    const isEndable = (record: LaunchRecord) =>
      isLive(record) &&
      !(options.unlessConnected && record.status === 'connected') &&
      !(options.unlessRunning && record.runs);
    const timed = present({ timeline: options.timeline });
    const change = (record: LaunchRecord) => ({ ...record, status: 'cleaning', ending, ...timed }) as const;
    const ended = await this.#writes(() => {
      const changed = this.#table.updateIf(launchId, isEndable, change);
      if (changed !== undefined) this.#invocation.ended(launchId);
      return changed;
    });
    if (ended !== undefined) return ended;
    const record = await this.get(launchId);
    return record !== undefined && isEndable(record) ? this.end(launchId, ending, options) : record;
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

  async markCleaned(launchId: string, atEpochMs: number, timeline?: Timeline): Promise<void> {
    await this.#writes(() =>
      this.#table.updateIf(
        launchId,
        ({ status }) => status === 'cleaning',
        (record) => ({
          ...record,
          status: record.ending?.outcome ?? 'failed',
          cleanedAtEpochMs: atEpochMs,
          ...present({ timeline }),
        }),
      ),
    );
  }

  async markLeft(launchId: string, left: LeftBehind): Promise<void> {
    await this.#writes(() =>
      this.#table.updateIf(
        launchId,
        ({ status }) => status === 'cleaning',
        (record) => ({ ...record, status: record.ending?.outcome ?? 'failed', left }),
      ),
    );
  }

  #writes<Answer>(effect: () => Answer): Promise<Answer> {
    return this.#invocation.writes('store', effect);
  }
}

function isSameTrouble(recorded: Signal | undefined, { code, container }: Signal): boolean {
  return recorded?.code === code && recorded.container === container;
}

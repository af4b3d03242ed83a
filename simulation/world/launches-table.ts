import { isLive, isOver, type LaunchRecord } from '../../core/launch/launch-record.ts';
import { writtenLaunch } from '../../core/trace/written-of.ts';
import { eventsOfLaunch } from '../../functions/publish-events/events-of-launch.ts';
import { LaunchesIn } from '../../logic/records/launches-in.ts';
import { registrationsIn } from '../../logic/records/registrations-in.ts';
import type { Launches } from '../../ports/launches.ts';
import type { RecordStore, RecordWrite, StoredRecord } from '../../ports/record-store.ts';
import type { Registrations } from '../../ports/registrations.ts';
import type { Core } from './core.ts';
import type { Invocation } from './invocation.ts';
import { type Damaged, pageOf, splitByDamage, standbyOf } from './launch-pages.ts';

/** How late DynamoDB removes an expired item, in milliseconds. */
export const longestRemovalMs = 48 * 3_600_000;

const damage = { why: 'damaged', attributes: ['plan'] };

/** What can be read of a damaged record: its plan cannot. */
function salvageable({ plan: _plan, ...record }: LaunchRecord): LaunchRecord {
  return record;
}

/** The launches table: each method is one request to DynamoDB, and has its effect at one moment. */
export class LaunchesTable {
  readonly #core: Core;
  /** Receives the launches that are over and held slots. */
  readonly #onFreed: (launchId: string) => void;
  readonly #records = new Map<string, LaunchRecord>();
  readonly #latest = new Map<string, LaunchRecord>();
  readonly #removedAtEpochMs = new Map<string, number>();
  /** The revision of each record. A record that is written again after its removal goes on counting. */
  readonly #revisions = new Map<string, number>();
  readonly #damaged = new Set<string>();
  /** The index, which may lag behind the table. */
  #index: readonly LaunchRecord[] = [];
  #indexedAtEpochMs = 0;

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
    if (this.#core.faults.hits('staleList', undefined)) {
      this.#core.history.add({ kind: 'listedStale', asOfEpochMs: this.#indexedAtEpochMs });
      return this.#index;
    }
    this.#index = this.all();
    this.#indexedAtEpochMs = this.#core.scheduler.nowEpochMs();
    return this.#index;
  }

  /** The record with its revision, and its damage. */
  stored(launchId: string): StoredRecord<LaunchRecord> | undefined {
    const record = this.get(launchId);
    if (record === undefined) return undefined;
    const revision = this.#revisions.get(launchId) ?? 0;
    return this.#damaged.has(launchId) ? { record: salvageable(record), revision, damage } : { record, revision };
  }

  /** Writes a record if its revision is still the one that was read. @returns the new revision, if it was written */
  write({ key, before, after, command }: RecordWrite<LaunchRecord>): number | undefined {
    if (this.stored(key)?.revision !== before?.revision) return undefined;
    this.#damaged.delete(key);
    this.put(after);
    const revision = this.#revisions.get(key) ?? 0;
    this.#core.history.trace(() => ({ kind: 'launch', key, revision, command, fields: writtenLaunch(after) }));
    return revision;
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
    this.#revisions.set(record.launchId, (this.#revisions.get(record.launchId) ?? 0) + 1);
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
    const { standby } = record;
    if (standby !== undefined && before?.standby === undefined) {
      this.#core.history.add({ kind: 'stoodBy', launchId: record.launchId });
    }
    if (standby?.summons !== undefined && before?.standby?.summons === undefined) {
      const { jobKey } = standby.summons;
      this.#core.history.add({ kind: 'summoned', launchId: record.launchId, jobKey });
    }
    if (record.runs !== undefined && before?.runs === undefined) {
      this.#core.history.add({ kind: 'bound', launchId: record.launchId, jobKey: record.runs.jobKey });
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

/** The launches table as one run of a function reaches it, request by request as DynamoDB's store makes them. */
export class SimulatedLaunchRecords implements RecordStore<LaunchRecord> {
  readonly #table: LaunchesTable;
  readonly #invocation: Invocation;

  constructor(table: LaunchesTable, invocation: Invocation) {
    this.#table = table;
    this.#invocation = invocation;
  }

  read(launchId: string): Promise<StoredRecord<LaunchRecord> | undefined> {
    return this.#invocation.reads('store', () => this.#table.stored(launchId));
  }

  write(write: RecordWrite<LaunchRecord>): Promise<number | undefined> {
    return this.#invocation.writes('store', () => {
      const revision = this.#table.write(write);
      if (revision !== undefined && isLive(write.before?.record) && write.after.status === 'cleaning')
        this.#invocation.ended(write.key);
      return revision;
    });
  }
}

/** The launches as one run of a function reaches them. */
export function simulatedLaunches(table: LaunchesTable, invocation: Invocation): Launches {
  return new LaunchesIn(new SimulatedLaunchRecords(table, invocation), {
    getMany: (launchIds) =>
      invocation.reads('store', () => {
        const wanted = new Set(launchIds);
        const found = table.all().filter(({ launchId }) => wanted.has(launchId));
        const { launches, unreadable } = splitByDamage(found, table.damaged);
        return { records: new Map(launches.map((record) => [record.launchId, record])), unreadable };
      }),
    list: (query) => invocation.reads('store', () => pageOf(table.list(), query, table.damaged)),
    listStandby: (poolKey, limit) => invocation.reads('store', () => standbyOf(table.list(), poolKey, limit)),
  });
}

/** The registrations of launches as one run of a function reaches them. */
export function simulatedRegistrations(table: LaunchesTable, invocation: Invocation): Registrations {
  return registrationsIn(new SimulatedLaunchRecords(table, invocation));
}

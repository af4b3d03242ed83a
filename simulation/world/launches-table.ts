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
import { simulatedRecords } from './records-table.ts';

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

  get damaged(): Damaged {
    return this.#damaged;
  }

  damage(launchId: string): void {
    this.#damaged.add(launchId);
  }

  all(): LaunchRecord[] {
    for (const launchId of this.#records.keys()) this.#forgetIfExpired(launchId);
    return [...this.#records.values()];
  }

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
    this.#tell(before, record);
    return record;
  }

  /** Adds to the history what a write means. */
  #tell(before: LaunchRecord | undefined, record: LaunchRecord): void {
    const { history } = this.#core;
    const { launchId, plan, runner, standby, runs, retiring, status: to, ending, generations } = record;
    if (before?.plan !== undefined && plan !== undefined && before.plan.generation !== plan.generation) {
      const { agentName, generation, cluster } = plan;
      const { agentName: endedAgent, cluster: endedCluster } = before.plan;
      const code = generations?.at(-1)?.code;
      history.add({ kind: 'relaunched', launchId, agentName, endedAgent, generation, cluster, endedCluster, code });
    }
    if (runner !== undefined && before?.runner?.id !== runner.id)
      history.add({ kind: 'registered', launchId, runnerId: runner.id });
    if (standby !== undefined && before?.standby === undefined) history.add({ kind: 'stoodBy', launchId });
    if (standby?.summons !== undefined && before?.standby?.summons === undefined)
      history.add({ kind: 'summoned', launchId, jobKey: standby.summons.jobKey });
    if (runs !== undefined && before?.runs === undefined) history.add({ kind: 'bound', launchId, jobKey: runs.jobKey });
    if (retiring !== undefined && before?.retiring === undefined)
      history.add({ kind: 'retiring', launchId, reason: retiring.reason });
    if (before?.status === to) return;
    history.add({ kind: 'recorded', launchId, agentName: plan?.agentName, from: before?.status, to, ending });
    if (plan?.slots !== undefined && isOver(record)) this.#onFreed(launchId);
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
function simulatedLaunchRecords(table: LaunchesTable, invocation: Invocation): RecordStore<LaunchRecord> {
  const write = (written: RecordWrite<LaunchRecord>) => {
    const revision = table.write(written);
    const { key, before, after } = written;
    if (revision !== undefined && isLive(before?.record) && after.status === 'cleaning') invocation.ended(key);
    return revision;
  };
  return simulatedRecords({ stored: (launchId) => table.stored(launchId), write }, invocation);
}

/** The launches as one run of a function reaches them. */
export function simulatedLaunches(table: LaunchesTable, invocation: Invocation): Launches {
  return new LaunchesIn(simulatedLaunchRecords(table, invocation), {
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
  return registrationsIn(simulatedLaunchRecords(table, invocation));
}

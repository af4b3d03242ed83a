import type { PoolLook } from '../../core/agent/pool.ts';
import { repositoryText } from '../../core/ci/ci-scope.ts';
import { clockSetBackMs } from '../../core/clock-set-back.ts';
import { jobKeyOf } from '../../core/job/job-id.ts';
import { isWaiting, type JobRecord } from '../../core/job/job-record.ts';
import { ciLaunchId } from '../../core/launch/names.ts';
import { requestedAtOf } from '../../core/retention.ts';
import { writtenJob } from '../../core/trace/written-of.ts';
import { jobsIn } from '../../logic/records/jobs-in.ts';
import type { Jobs, KnownRepository, WaitingJob } from '../../ports/jobs.ts';
import type { RecordWrite } from '../../ports/record-store.ts';
import type { Core } from './core.ts';
import type { Invocation } from './invocation.ts';
import { RecordsTable, simulatedRecords } from './records-table.ts';

/** A day, plus the hour in which davit does not write a later event. */
const listedMs = 25 * 3_600_000;

interface KeptLook {
  look: PoolLook;
  keptAtEpochMs: number;
}

/** The jobs table: each method is one request to DynamoDB, and has its effect at one moment. */
export class JobsTable extends RecordsTable<JobRecord> {
  readonly #core: Core | undefined;
  /** The index, which is sometimes behind the table. */
  #limited: readonly JobRecord[] = [];
  readonly #repositories = new Map<string, { ciSystem: string; known: KnownRepository; seenAtEpochMs: number }>();
  readonly #looks = new Map<string, Map<string, KeptLook>>();

  constructor(core?: Core) {
    super();
    this.#core = core;
  }

  /** The jobs that wait for slots. */
  limited(): JobRecord[] {
    return this.all.filter((record) => record.limitedBy !== undefined && record.status === 'queued');
  }

  /** Lists the jobs by the index, which may be as old as the previous list. */
  listLimited(wanted: string): WaitingJob[] {
    if (this.#core?.faults.hits('staleList', undefined) !== true) this.#limited = this.limited();
    return waitingOf(this.#limited.filter(({ ciSystem }) => ciSystem === wanted));
  }

  waiting(wanted: string): WaitingJob[] {
    return waitingOf(this.all.filter((record) => record.ciSystem === wanted && isWaiting(record)));
  }

  protected override tell({ key, before, after, command }: RecordWrite<JobRecord>, revision: number): void {
    const { history } = this.#core ?? {};
    history?.trace(() => ({ kind: 'job', key, revision, command, fields: writtenJob(after) }));
    const { launches, lastLaunch, notLaunched, limitedBy } = after;
    const job = ciLaunchId(after);
    if (lastLaunch !== undefined && launches !== before?.record.launches)
      history?.add({ kind: 'counted', launchId: lastLaunch.launchId, job });
    if (limitedBy !== undefined && command === 'noteLimited') history?.add({ kind: 'limited', job, limitedBy });
    if (notLaunched !== undefined && command === 'noteNotLaunched')
      history?.add({ kind: 'notLaunched', job, reason: notLaunched });
  }

  putRepository(ciSystem: string, known: KnownRepository, seenAtEpochMs: number): void {
    const key = `${ciSystem}/${repositoryText(known.repository)}`;
    if ((this.#repositories.get(key)?.seenAtEpochMs ?? 0) <= seenAtEpochMs)
      this.#repositories.set(key, { ciSystem, known, seenAtEpochMs });
  }

  /** Lists the repositories with events in the last day; forgets them all if that day was quiet. */
  repositories(wanted: string, nowEpochMs: number): KnownRepository[] {
    if (this.#core?.faults.hits('repositoryQuiet', undefined) === true) this.#repositories.clear();
    return [...this.#repositories.values()]
      .filter(({ ciSystem, seenAtEpochMs }) => ciSystem === wanted && nowEpochMs - seenAtEpochMs < listedMs)
      .map(({ known }) => known);
  }

  looks(ciSystem: string): ReadonlyMap<string, PoolLook> {
    return new Map([...(this.#looks.get(ciSystem) ?? [])].map(([poolKey, { look }]) => [poolKey, look]));
  }

  putLook(ciSystem: string, poolKey: string, look: PoolLook, keptAtEpochMs: number): void {
    const looks = this.#looks.get(ciSystem) ?? new Map<string, KeptLook>();
    this.#looks.set(ciSystem, looks);
    const { keptAtEpochMs: before = 0 } = looks.get(poolKey) ?? {};
    if (before > keptAtEpochMs && before <= keptAtEpochMs + clockSetBackMs) return;
    looks.set(poolKey, { look, keptAtEpochMs });
  }
}

/** The jobs as one run of a function reaches them. */
export function simulatedJobs(table: JobsTable, invocation: Invocation): Jobs {
  const reads = <Answer>(read: () => Answer) => invocation.reads('store', read);
  const writes = <Answer>(write: () => Answer) => invocation.writes('store', write);
  return jobsIn(simulatedRecords(table, invocation), {
    listLimited: (ciSystem) => reads(() => table.listLimited(ciSystem)),
    listWaiting: (ciSystem) => reads(() => table.waiting(ciSystem)),
    getMany: (jobKeys) => reads(() => [...new Set(jobKeys)].flatMap((key) => table.get(key) ?? [])),
    noteRepository: (ciSystem, known, atEpochMs) => writes(() => table.putRepository(ciSystem, known, atEpochMs)),
    listRepositories: (ciSystem, nowEpochMs) => reads(() => table.repositories(ciSystem, nowEpochMs)),
    readLooks: (ciSystem) => reads(() => table.looks(ciSystem)),
    keepLook: (...given) => writes(() => table.putLook(...given)),
  });
}

function waitingOf(records: readonly JobRecord[]): WaitingJob[] {
  return records
    .map((record) => ({ jobKey: jobKeyOf(record), sinceEpochMs: requestedAtOf(record.expiresAtEpochSeconds) }))
    .toSorted((one, other) => one.sinceEpochMs - other.sinceEpochMs);
}

import type { PoolLook } from '../../core/agent/pool.ts';
import { repositoryText } from '../../core/ci/ci-scope.ts';
import { clockSetBackMs } from '../../core/clock-set-back.ts';
import { TransientError } from '../../core/errors/errors.ts';
import { type JobId, jobKeyOf } from '../../core/job/job-id.ts';
import { isWaiting, type JobRecord, mergeJob, type SeenJob } from '../../core/job/job-record.ts';
import { ciLaunchId } from '../../core/launch/names.ts';
import { requestedAtOf } from '../../core/retention.ts';
import { writtenJob } from '../../core/trace/written-of.ts';
import type { Jobs, KnownRepository, WaitingJob } from '../../ports/jobs.ts';
import type { Core } from './core.ts';
import type { Invocation } from './invocation.ts';

/** A day, plus the hour in which davit does not write a later event. */
const listedMs = 25 * 3_600_000;
const mostNotes = 5;

interface KeptLook {
  look: PoolLook;
  keptAtEpochMs: number;
}

/** The jobs table: each method is one request to DynamoDB, and has its effect at one moment. */
export class JobsTable {
  readonly #core: Core | undefined;
  /** The index, which is sometimes behind the table. */
  #limited: readonly JobRecord[] = [];
  readonly #records = new Map<string, JobRecord>();
  readonly #revisions = new Map<string, number>();
  readonly #repositories = new Map<string, { ciSystem: string; known: KnownRepository; seenAtEpochMs: number }>();
  readonly #looks = new Map<string, Map<string, KeptLook>>();

  constructor(core?: Core) {
    this.#core = core;
  }

  get(key: string): JobRecord | undefined {
    return this.#records.get(key);
  }

  /** The jobs that wait for slots. */
  limited(): JobRecord[] {
    return [...this.#records.values()].filter((record) => record.limitedBy !== undefined && record.status === 'queued');
  }

  /** Lists the jobs by the index, which may be as old as the previous list. */
  listLimited(wanted: string): WaitingJob[] {
    if (this.#core?.faults.hits('staleList', undefined) !== true) this.#limited = this.limited();
    return this.#limited
      .filter(({ ciSystem }) => ciSystem === wanted)
      .map((record) => ({ jobKey: jobKeyOf(record), sinceEpochMs: requestedAtOf(record.expiresAtEpochSeconds) }))
      .toSorted((one, other) => one.sinceEpochMs - other.sinceEpochMs);
  }

  waiting(wanted: string): WaitingJob[] {
    return [...this.#records]
      .filter(([, record]) => record.ciSystem === wanted && isWaiting(record))
      .map(([jobKey, record]) => ({ jobKey, sinceEpochMs: requestedAtOf(record.expiresAtEpochSeconds) }))
      .toSorted((one, other) => one.sinceEpochMs - other.sinceEpochMs);
  }

  /** @returns whether there was no record */
  putNew(key: string, command: keyof Jobs, record: JobRecord): boolean {
    if (this.#records.has(key)) return false;
    this.#write(key, command, record);
    return true;
  }

  /** Changes a record if the condition holds. @returns the new record */
  updateIf(
    key: string,
    command: keyof Jobs,
    condition: (record: JobRecord) => boolean,
    change: (record: JobRecord) => JobRecord,
  ): JobRecord | undefined {
    const record = this.get(key);
    return record !== undefined && condition(record) ? this.#write(key, command, change(record)) : undefined;
  }

  #write(key: string, command: keyof Jobs, record: JobRecord): JobRecord {
    const revision = (this.#revisions.get(key) ?? 0) + 1;
    this.#records.set(key, record);
    this.#revisions.set(key, revision);
    this.#core?.history.trace(() => ({ kind: 'job', key, revision, command, fields: writtenJob(record) }));
    return record;
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

/** The jobs table as one run of a function reaches it, request by request as the DynamoDB adapter makes them. */
export class SimulatedJobs implements Jobs {
  readonly #table: JobsTable;
  readonly #invocation: Invocation;

  constructor(table: JobsTable, invocation: Invocation) {
    this.#table = table;
    this.#invocation = invocation;
  }

  get(job: JobId): Promise<JobRecord | undefined> {
    return this.#invocation.reads('store', () => this.#table.get(jobKeyOf(job)));
  }

  async note(seen: SeenJob, atEpochMs: number): Promise<JobRecord> {
    const key = jobKeyOf(seen);
    for (let attempt = 0; attempt < mostNotes; attempt += 1) {
      const known = await this.get(seen);
      const merged = mergeJob(known, seen, atEpochMs);
      if (known === undefined) {
        if (await this.#writes(() => this.#table.putNew(key, 'note', merged))) return merged;
        continue;
      }
      const before = new Map<string, unknown>(Object.entries(known));
      const changed = Object.entries(merged).filter(
        ([name, value]) => JSON.stringify(before.get(name)) !== JSON.stringify(value),
      );
      if (changed.length === 0) return known;
      const updated = await this.#writes(() =>
        this.#table.updateIf(
          key,
          'note',
          ({ status }) => status === known.status,
          (record) => ({ ...record, ...Object.fromEntries(changed) }),
        ),
      );
      if (updated !== undefined) return updated;
    }
    throw new TransientError('WriteConflict', `the job ${key} changed each time it was read`);
  }

  async claimLaunch(job: JobId, counted: number, launchId: string, atEpochMs: number): Promise<boolean> {
    const claimed = await this.#writes(() => {
      const written = this.#table.updateIf(
        jobKeyOf(job),
        'claimLaunch',
        ({ launches, status }) => launches === counted && status === 'queued',
        ({ notLaunched: _notLaunched, limitedBy: _limitedBy, ...record }) => ({
          ...record,
          launches: counted + 1,
          lastLaunch: { launchId, atEpochMs },
        }),
      );
      if (written !== undefined) this.#invocation.core.history.add({ kind: 'counted', launchId, job: ciLaunchId(job) });
      return written;
    });
    if (claimed !== undefined) return true;
    const record = await this.get(job);
    return record?.launches === counted + 1 && record.lastLaunch?.launchId === launchId;
  }

  async noteRanBy(job: JobId, ranBy: string): Promise<void> {
    await this.#writes(() =>
      this.#table.updateIf(
        jobKeyOf(job),
        'noteRanBy',
        (record) => record.ranBy === undefined,
        (record) => ({ ...record, ranBy }),
      ),
    );
  }

  async noteNotLaunched(job: JobId, notLaunched: string): Promise<void> {
    await this.#writes(() => {
      this.#invocation.core.history.add({ kind: 'notLaunched', job: ciLaunchId(job), reason: notLaunched });
      return this.#table.updateIf(
        jobKeyOf(job),
        'noteNotLaunched',
        () => true,
        ({ limitedBy: _limitedBy, ...record }) => ({ ...record, notLaunched }),
      );
    });
  }

  async noteLimited(job: JobId, counted: number, limitedBy: string | undefined, notLaunched: string): Promise<void> {
    await this.#writes(() => {
      const written = this.#table.updateIf(
        jobKeyOf(job),
        'noteLimited',
        ({ status, launches }) => status === 'queued' && launches === counted,
        ({ limitedBy: _limitedBy, ...record }) => ({
          ...record,
          notLaunched,
          ...(limitedBy === undefined ? {} : { limitedBy }),
        }),
      );
      if (written !== undefined && limitedBy !== undefined)
        this.#invocation.core.history.add({ kind: 'limited', job: ciLaunchId(job), limitedBy });
      return written;
    });
  }

  listLimited(ciSystem: string): Promise<WaitingJob[]> {
    return this.#invocation.reads('store', () => this.#table.listLimited(ciSystem));
  }

  listWaiting(ciSystem: string): Promise<WaitingJob[]> {
    return this.#invocation.reads('store', () => this.#table.waiting(ciSystem));
  }

  getMany(jobKeys: readonly string[]): Promise<JobRecord[]> {
    return this.#invocation.reads('store', () => [...new Set(jobKeys)].flatMap((key) => this.#table.get(key) ?? []));
  }

  async noteRepository(ciSystem: string, known: KnownRepository, atEpochMs: number): Promise<void> {
    await this.#writes(() => this.#table.putRepository(ciSystem, known, atEpochMs));
  }

  listRepositories(ciSystem: string, nowEpochMs: number): Promise<KnownRepository[]> {
    return this.#invocation.reads('store', () => this.#table.repositories(ciSystem, nowEpochMs));
  }

  readLooks(ciSystem: string): Promise<ReadonlyMap<string, PoolLook>> {
    return this.#invocation.reads('store', () => this.#table.looks(ciSystem));
  }

  async keepLook(ciSystem: string, poolKey: string, look: PoolLook, atEpochMs: number): Promise<void> {
    await this.#writes(() => this.#table.putLook(ciSystem, poolKey, look, atEpochMs));
  }

  #writes<Answer>(effect: () => Answer): Promise<Answer> {
    return this.#invocation.writes('store', effect);
  }
}

import { repositoryText } from '../../functions/domain/ci-scope.ts';
import {
  isWaiting,
  type JobId,
  type JobRecord,
  jobKeyOf,
  mergeJob,
  type SeenJob,
} from '../../functions/domain/job-record.ts';
import { requestedAtOf } from '../../functions/domain/plan-launch.ts';
import type { PoolLook } from '../../functions/domain/pool.ts';
import type { Jobs, KnownPlace, WaitingJob } from '../../functions/ports/jobs.ts';

const listedMs = 25 * 3_600_000;

/** The jobs table in memory, with exactly the port's rules. It copies records on writes and reads. */
export class MemoryJobs implements Jobs {
  readonly #records = new Map<string, JobRecord>();
  readonly #places = new Map<string, { ciSystem: string; place: KnownPlace; seenAtEpochMs: number }>();
  readonly #looks = new Map<string, { looks: ReadonlyMap<string, PoolLook>; atEpochMs: number }>();

  async get(job: JobId): Promise<JobRecord | undefined> {
    return structuredClone(this.#records.get(jobKeyOf(job)));
  }

  async note(seen: SeenJob, atEpochMs: number): Promise<JobRecord> {
    const merged = mergeJob(this.#records.get(jobKeyOf(seen)), seen, atEpochMs);
    this.#put(merged);
    return structuredClone(merged);
  }

  async claimLaunch(job: JobId, counted: number, launchId: string, atEpochMs: number): Promise<boolean> {
    const record = this.#records.get(jobKeyOf(job));
    if (record === undefined) return false;
    if (record.launches === counted + 1 && record.lastLaunch?.launchId === launchId) return true;
    if (record.launches !== counted || record.status !== 'queued') return false;
    const { notLaunched: _notLaunched, limitedBy: _limitedBy, ...kept } = record;
    this.#put({ ...kept, launches: counted + 1, lastLaunch: { launchId, atEpochMs } });
    return true;
  }

  async noteRanBy(job: JobId, launchId: string): Promise<void> {
    const record = this.#records.get(jobKeyOf(job));
    if (record !== undefined && record.ranBy === undefined) this.#put({ ...record, ranBy: launchId });
  }

  async noteNotLaunched(job: JobId, reason: string): Promise<void> {
    const record = this.#records.get(jobKeyOf(job));
    if (record === undefined) return;
    const { limitedBy: _limitedBy, ...kept } = record;
    this.#put({ ...kept, notLaunched: reason });
  }

  async noteLimited(job: JobId, counted: number, limitedBy: string | undefined, notLaunched: string): Promise<void> {
    const record = this.#records.get(jobKeyOf(job));
    if (record?.status !== 'queued' || record.launches !== counted) return;
    const { limitedBy: _limitedBy, ...kept } = record;
    this.#put({ ...kept, notLaunched, ...(limitedBy === undefined ? {} : { limitedBy }) });
  }

  async listLimited(wanted: string): Promise<WaitingJob[]> {
    const limited = (await this.listWaiting(wanted)).map(async (job) => {
      const isLimited = this.#records.get(job.jobKey)?.limitedBy !== undefined;
      return isLimited ? [job] : [];
    });
    return (await Promise.all(limited)).flat();
  }

  async listWaiting(wanted: string): Promise<WaitingJob[]> {
    return [...this.#records.values()]
      .filter((record) => record.ciSystem === wanted && isWaiting(record))
      .map((record) => ({ jobKey: jobKeyOf(record), sinceEpochMs: requestedAtOf(record.expiresAtEpochSeconds) }))
      .toSorted((one, other) => one.sinceEpochMs - other.sinceEpochMs);
  }

  async getMany(jobKeys: readonly string[]): Promise<JobRecord[]> {
    return [...new Set(jobKeys)].flatMap((key) => structuredClone(this.#records.get(key)) ?? []);
  }

  async notePlace(ciSystem: string, place: KnownPlace, atEpochMs: number): Promise<void> {
    const key = `${ciSystem}/${repositoryText(place.repository)}`;
    this.#places.set(key, { ciSystem, place: structuredClone(place), seenAtEpochMs: atEpochMs });
  }

  async listPlaces(ciSystem: string, nowEpochMs: number): Promise<KnownPlace[]> {
    return [...this.#places.values()]
      .filter((known) => known.ciSystem === ciSystem && nowEpochMs - known.seenAtEpochMs < listedMs)
      .map(({ place }) => structuredClone(place));
  }

  async readLooks(ciSystem: string): Promise<ReadonlyMap<string, PoolLook>> {
    return structuredClone(this.#looks.get(ciSystem)?.looks ?? new Map());
  }

  async keepLooks(ciSystem: string, looks: ReadonlyMap<string, PoolLook>, atEpochMs: number): Promise<void> {
    const known = this.#looks.get(ciSystem);
    if (known !== undefined && known.atEpochMs > atEpochMs) return;
    this.#looks.set(ciSystem, { looks: structuredClone(looks), atEpochMs });
  }

  #put(record: JobRecord): void {
    this.#records.set(jobKeyOf(record), structuredClone(record));
  }
}

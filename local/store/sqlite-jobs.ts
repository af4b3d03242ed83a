import { jobItemReader, type ReportUnreadable } from '../../adapters/read-job-items.ts';
import { PoolLook } from '../../core/agent/pool.ts';
import { RepositoryName, repositoryText } from '../../core/ci/ci-scope.ts';
import { type JobId, jobKeyOf } from '../../core/job/job-id.ts';
import { changesOf, isWaiting, JobRecord, mergeJob } from '../../core/job/job-record.ts';
import { present } from '../../core/present.ts';
import { requestedAtOf } from '../../core/retention.ts';
import { writtenJob } from '../../core/trace/written-of.ts';
import * as z from '../../core/zod.ts';
import type { Jobs, WaitingJob } from '../../ports/jobs.ts';
import { type Trace, untraced } from '../../ports/trace.ts';
import { notesOf, putNote } from './notes.ts';
import type { Store } from './open-store.ts';
import { jsonOf, numberOf, type Row, textOf } from './rows.ts';

const Known = z.object({ repository: RepositoryName, organization: z.optional(z.string()) });
/** How often a record was written, beside it. */
const Revised = z.object({ revision: z.int() });
const KeptLook = z.object({ poolKey: z.string(), look: PoolLook });

/** A day, and an hour more, as on AWS. */
const knownMs = 25 * 3_600_000;
const lookMs = 24 * 3_600_000;

/** Keeps the jobs in the store, and what reconciling remembers of their CI systems. */
export function sqliteJobs(store: Store, trace: Trace = untraced, reportUnreadable: ReportUnreadable = () => {}): Jobs {
  const { sql } = store;
  const readItems = jobItemReader(reportUnreadable);

  function recordOf(job: JobId): JobRecord | undefined {
    const row = rowOf(job);
    return row && JobRecord.parse(jsonOf(row, 'item'));
  }

  function rowOf(job: JobId): Row | undefined {
    return sql.get`SELECT item FROM job WHERE job_key = ${jobKeyOf(job)}`;
  }

  /**
   * Writes what a change makes of a job's record, and traces it once it is on the disk. A change that returns its record, or
   * nothing, writes nothing.
   *
   * @param firstRevision of a record that there was none of
   * @returns the record in effect
   */
  function change(
    command: keyof Jobs,
    job: JobId,
    changed: (record: JobRecord | undefined) => JobRecord | undefined,
    firstRevision = 1,
  ): JobRecord | undefined {
    const { record, revision } = store.write(() => {
      const row = rowOf(job);
      const known = row && JobRecord.parse(jsonOf(row, 'item'));
      const next = changed(known);
      if (next === undefined || next === known) return { record: known };
      const after = row === undefined ? firstRevision : Revised.parse(jsonOf(row, 'item')).revision + 1;
      put(next, after);
      return { record: next, revision: after };
    });
    if (record !== undefined && revision !== undefined) {
      trace({ kind: 'job', key: jobKeyOf(record), revision, command, fields: writtenJob(record) });
    }
    return record;
  }

  function changeKnown(command: keyof Jobs, job: JobId, changed: (record: JobRecord) => JobRecord): void {
    change(command, job, (record) => record && changed(record));
  }

  function put(record: JobRecord, revision: number): void {
    const waitsAt = isWaiting(record) ? record.ciSystem : null;
    const isLimited = record.limitedBy === undefined ? 0 : 1;
    const { expiresAtEpochSeconds } = record;
    const item = JSON.stringify({ ...record, revision });
    sql.run`
      INSERT OR REPLACE INTO job VALUES
        (${jobKeyOf(record)}, ${waitsAt}, ${isLimited}, ${expiresAtEpochSeconds}, ${item})`;
  }

  function claimLaunch(job: JobId, counted: number, launchId: string, atEpochMs: number): boolean {
    const claimed = change('claimLaunch', job, (record) => {
      if (record?.launches !== counted || record.status !== 'queued') return record;
      const { notLaunched: _notLaunched, limitedBy: _limitedBy, ...kept } = record;
      return { ...kept, launches: counted + 1, lastLaunch: { launchId, atEpochMs } };
    });
    return claimed?.launches === counted + 1 && claimed.lastLaunch?.launchId === launchId;
  }

  return {
    get: async (job) => store.read(() => recordOf(job)),
    note: async (seen, atEpochMs) => {
      const merge = (known: JobRecord | undefined) => {
        const merged = mergeJob(known, seen, atEpochMs);
        return known !== undefined && changesOf(known, merged).length === 0 ? known : merged;
      };
      // A record that comes back after it has expired goes on counting: it has less than one write in a millisecond.
      return change('note', seen, merge, atEpochMs) ?? mergeJob(undefined, seen, atEpochMs);
    },
    claimLaunch: async (...given) => claimLaunch(...given),
    noteRanBy: async (job, ranBy) =>
      changeKnown('noteRanBy', job, (record) => (record.ranBy === undefined ? { ...record, ranBy } : record)),
    noteNotLaunched: async (job, notLaunched) =>
      changeKnown('noteNotLaunched', job, ({ limitedBy: _limitedBy, ...record }) => ({ ...record, notLaunched })),
    noteLimited: async (job, counted, limitedBy, notLaunched) =>
      changeKnown('noteLimited', job, (known) => {
        if (known.status !== 'queued' || known.launches !== counted) return known;
        const { limitedBy: _limitedBy, ...record } = known;
        return { ...record, notLaunched, ...present({ limitedBy }) };
      }),
    listLimited: async (ciSystem) =>
      store.read(() =>
        sql.all`
          SELECT job_key, expires_at FROM job WHERE waits_at = ${ciSystem} AND is_limited = 1 ORDER BY expires_at`.map(
          waitingOf,
        ),
      ),
    listWaiting: async (ciSystem) =>
      store.read(() =>
        sql.all`SELECT job_key, expires_at FROM job WHERE waits_at = ${ciSystem} ORDER BY expires_at`.map(waitingOf),
      ),
    getMany: async (jobKeys) =>
      store.read(() => {
        const rows = sql.all`
          SELECT job_key, item FROM job WHERE job_key IN (SELECT value FROM json_each(${JSON.stringify(jobKeys)}))`;
        return readItems(rows.map((row) => ({ jobKey: textOf(row, 'job_key'), item: jsonOf(row, 'item') })));
      }),
    noteRepository: async (ciSystem, known, atEpochMs) =>
      putNote(
        store,
        { kind: 'repository', ciSystem, key: repositoryText(known.repository), body: known },
        atEpochMs,
        knownMs,
      ),
    listRepositories: async (ciSystem, nowEpochMs) =>
      notesOf(store, 'repository', ciSystem, nowEpochMs - knownMs).flatMap((body) => {
        const { data } = Known.safeParse(body);
        return data === undefined ? [] : [present(data)];
      }),
    readLooks: async (ciSystem) =>
      new Map(
        notesOf(store, 'look', ciSystem).map((body) => {
          const { poolKey, look } = KeptLook.parse(body);
          return [poolKey, look];
        }),
      ),
    keepLook: async (ciSystem, poolKey, look, atEpochMs) =>
      putNote(store, { kind: 'look', ciSystem, key: poolKey, body: { poolKey, look } }, atEpochMs, lookMs),
  };
}

function waitingOf(row: Row): WaitingJob {
  return { jobKey: textOf(row, 'job_key'), sinceEpochMs: requestedAtOf(numberOf(row, 'expires_at')) };
}

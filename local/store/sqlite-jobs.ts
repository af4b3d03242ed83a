import { PoolLook } from '../../core/agent/pool.ts';
import { RepositoryName, repositoryText } from '../../core/ci/ci-scope.ts';
import { type JobId, jobKeyOf } from '../../core/job/job-id.ts';
import { isWaiting, JobRecord, mergeJob } from '../../core/job/job-record.ts';
import { present } from '../../core/present.ts';
import { requestedAtOf } from '../../core/retention.ts';
import * as z from '../../core/zod.ts';
import type { Jobs, WaitingJob } from '../../ports/jobs.ts';
import { noteOf, notesOf, putNote } from './notes.ts';
import type { Store } from './open-store.ts';
import { jsonOf, numberOf, type Row, textOf } from './rows.ts';

const Place = z.object({ repository: RepositoryName, organization: z.optional(z.string()) });
const Looks = z.record(z.string(), PoolLook);

/** A day, and an hour more, as on AWS. */
const placeMs = 25 * 3_600_000;
const looksMs = 24 * 3_600_000;

/** Keeps the jobs in the store, and what reconciling remembers of their CI systems. */
export function sqliteJobs(store: Store): Jobs {
  const { sql } = store;

  function recordOf(job: JobId): JobRecord | undefined {
    const row = sql.get`SELECT item FROM job WHERE job_key = ${jobKeyOf(job)}`;
    return row && JobRecord.parse(jsonOf(row, 'item'));
  }

  /** Writes what a change makes of a job's record, if there is one. A change that returns nothing writes nothing. */
  function change(job: JobId, changed: (record: JobRecord) => JobRecord | undefined): void {
    store.write(() => {
      const record = recordOf(job);
      const next = record && changed(record);
      if (next !== undefined) put(next);
    });
  }

  function put(record: JobRecord): JobRecord {
    const waitsAt = isWaiting(record) ? record.ciSystem : null;
    const isLimited = record.limitedBy === undefined ? 0 : 1;
    const { expiresAtEpochSeconds } = record;
    sql.run`
      INSERT OR REPLACE INTO job VALUES
        (${jobKeyOf(record)}, ${waitsAt}, ${isLimited}, ${expiresAtEpochSeconds}, ${JSON.stringify(record)})`;
    return record;
  }

  return {
    get: async (job) => store.read(() => recordOf(job)),
    note: async (seen, atEpochMs) => store.write(() => put(mergeJob(recordOf(seen), seen, atEpochMs))),
    claimLaunch: async (job, counted, launchId, atEpochMs) =>
      store.write(() => {
        const record = recordOf(job);
        if (record === undefined) return false;
        if (record.launches === counted + 1 && record.lastLaunch?.launchId === launchId) return true;
        if (record.launches !== counted || record.status !== 'queued') return false;
        const { notLaunched: _notLaunched, limitedBy: _limitedBy, ...kept } = record;
        put({ ...kept, launches: counted + 1, lastLaunch: { launchId, atEpochMs } });
        return true;
      }),
    noteRanBy: async (job, launchId) => change(job, (record) => ({ ...record, ranBy: record.ranBy ?? launchId })),
    noteNotLaunched: async (job, notLaunched) =>
      change(job, ({ limitedBy: _limitedBy, ...record }) => ({ ...record, notLaunched })),
    noteLimited: async (job, counted, limitedBy, notLaunched) =>
      change(job, ({ limitedBy: _limitedBy, ...record }) => {
        if (record.status !== 'queued' || record.launches !== counted) return undefined;
        return { ...record, notLaunched, ...(limitedBy === undefined ? {} : { limitedBy }) };
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
      store.read(() =>
        sql.all`SELECT item FROM job WHERE job_key IN (SELECT value FROM json_each(${JSON.stringify(jobKeys)}))`.map(
          (row) => JobRecord.parse(jsonOf(row, 'item')),
        ),
      ),
    notePlace: async (ciSystem, place, atEpochMs) =>
      putNote(
        store,
        { kind: 'place', ciSystem, key: repositoryText(place.repository), body: place },
        atEpochMs,
        placeMs,
      ),
    listPlaces: async (ciSystem, nowEpochMs) =>
      notesOf(store, 'place', ciSystem, nowEpochMs - placeMs).map((body) => present(Place.parse(body))),
    readLooks: async (ciSystem) => {
      const looks = noteOf(store, { kind: 'looks', ciSystem });
      return new Map(looks === undefined ? [] : Object.entries(Looks.parse(looks)));
    },
    keepLooks: async (ciSystem, looks, atEpochMs) =>
      putNote(store, { kind: 'looks', ciSystem, body: Object.fromEntries(looks) }, atEpochMs, looksMs),
  };
}

function waitingOf(row: Row): WaitingJob {
  return { jobKey: textOf(row, 'job_key'), sinceEpochMs: requestedAtOf(numberOf(row, 'expires_at')) };
}

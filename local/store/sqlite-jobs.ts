import { jobItemReader, type ReportUnreadable } from '../../adapters/read-job-items.ts';
import { PoolLook } from '../../core/agent/pool.ts';
import { RepositoryName, repositoryText } from '../../core/ci/ci-scope.ts';
import { isWaiting, JobRecord } from '../../core/job/job-record.ts';
import { present } from '../../core/present.ts';
import { requestedAtOf } from '../../core/retention.ts';
import * as z from '../../core/zod.ts';
import { jobsIn } from '../../logic/records/jobs-in.ts';
import { tracedJobs } from '../../logic/traces/traced-records.ts';
import type { Jobs, WaitingJob } from '../../ports/jobs.ts';
import { type Trace, untraced } from '../../ports/trace.ts';
import { notesOf, putNote } from './notes.ts';
import type { Store } from './open-store.ts';
import { jsonOf, numberOf, type Row, textOf } from './rows.ts';
import { sqliteRecords } from './sqlite-records.ts';

const Known = z.object({ repository: RepositoryName, organization: z.optional(z.string()) });
const KeptLook = z.object({ poolKey: z.string(), look: PoolLook });

/** A day, and an hour more, as on AWS. */
const knownMs = 25 * 3_600_000;
const lookMs = 24 * 3_600_000;

/** Keeps the jobs in the store, and what reconciling remembers of their CI systems. */
export function sqliteJobs(store: Store, trace: Trace = untraced, reportUnreadable: ReportUnreadable = () => {}): Jobs {
  const { sql } = store;
  const readItems = jobItemReader(reportUnreadable);

  const records = sqliteRecords<JobRecord>(store, {
    read: (item) => ({ record: JobRecord.parse(item) }),
    select: (jobKey) => sql.get`SELECT revision, item FROM job WHERE job_key = ${jobKey}`,
    put: (jobKey, record, revision, item) => {
      const waitsAt = isWaiting(record) ? record.ciSystem : null;
      const isLimited = record.limitedBy === undefined ? 0 : 1;
      sql.run`
        INSERT OR REPLACE INTO job VALUES
          (${jobKey}, ${waitsAt}, ${isLimited}, ${revision}, ${record.expiresAtEpochSeconds}, ${item})`;
    },
  });
  return jobsIn(tracedJobs(records, trace), {
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
    noteRepository: (ciSystem, known, atEpochMs) => {
      const key = repositoryText(known.repository);
      return putNote(store, { kind: 'repository', ciSystem, key, body: known, atEpochMs, keepMs: knownMs });
    },
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
    keepLook: (ciSystem, poolKey, look, atEpochMs) =>
      putNote(store, { kind: 'look', ciSystem, key: poolKey, body: { poolKey, look }, atEpochMs, keepMs: lookMs }),
  });
}

function waitingOf(row: Row): WaitingJob {
  return { jobKey: textOf(row, 'job_key'), sinceEpochMs: requestedAtOf(numberOf(row, 'expires_at')) };
}

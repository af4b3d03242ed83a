import { createHash } from 'node:crypto';
import { PoolLook } from '../../core/agent/pool.ts';
import { isWaiting, JobRecord } from '../../core/job/job-record.ts';
import { requestedAtOf } from '../../core/retention.ts';
import * as z from '../../core/zod.ts';
import { jobsIn } from '../../logic/records/jobs-in.ts';
import { tracedJobs } from '../../logic/traces/traced-records.ts';
import type { Jobs, WaitingJob } from '../../ports/jobs.ts';
import type { RecordStore } from '../../ports/record-store.ts';
import { type Trace, untraced } from '../../ports/trace.ts';
import { jobItemReader, type ReportUnreadable, type StoredJob } from '../read-job-items.ts';
import { createDynamoRecords } from './create-dynamo-records.ts';
import { createDynamoRepositories } from './dynamo-repositories.ts';
import { type DynamoTable, getItems, queryItems, queryPartition } from './dynamo-table.ts';
import { waitingJobsIndex } from './table-definitions.ts';
import { writeUnlessNewer } from './unless-newer.ts';

/**
 * Keeps the jobs in DynamoDB: `create-dynamo-records.ts` writes them, `logic/records/jobs-in.ts` says what.
 *
 * @see table-definitions.ts for the table
 */
export function createDynamoJobs(
  table: DynamoTable,
  trace: Trace = untraced,
  reportUnreadable: ReportUnreadable = () => {},
): Jobs {
  const readItems = jobItemReader(reportUnreadable);
  return jobsIn(tracedJobs(jobRecords(table), trace), {
    listWaiting: async (ciSystem) =>
      [...(await listIndexed(table, ciSystem)), ...(await listIndexed(table, limitedAt(ciSystem)))].toSorted(
        (one, other) => one.sinceEpochMs - other.sinceEpochMs,
      ),
    listLimited: (ciSystem) => listIndexed(table, limitedAt(ciSystem)),
    getMany: async (jobKeys) => readItems(await getStored(table, jobKeys)),
    ...createDynamoRepositories(table),
    readLooks: (ciSystem) => readLooks(table, ciSystem),
    keepLook: (...given) => keepLook(table, ...given),
  });
}

function jobRecords(table: DynamoTable): RecordStore<JobRecord> {
  return createDynamoRecords<JobRecord>(table, {
    keyOf: (partition) => ({ partition, item: 'job' }),
    read: (item) => ({ record: JobRecord.parse(item) }),
    indexOf: (record) => ({ waitsAt: waitsAtOf(record) }),
  });
}

/** Where a job is in the index of those that wait. */
function waitsAtOf(job: JobRecord): string | undefined {
  if (!isWaiting(job)) return undefined;
  return job.limitedBy === undefined ? job.ciSystem : limitedAt(job.ciSystem);
}

const IndexEntry = z.object({ partition: z.string(), expiresAtEpochSeconds: z.int() });
const waitingBatchItems = 1000;

/** Where jobs are in the index that wait for slots: among few others, however many jobs are queued. */
function limitedAt(ciSystem: string): string {
  return `${ciSystem}/limited`;
}

async function listIndexed(table: DynamoTable, waitsAt: string): Promise<WaitingJob[]> {
  const query = {
    IndexName: waitingJobsIndex,
    KeyConditionExpression: '#waitsAt = :waitsAt',
    ExpressionAttributeNames: { '#waitsAt': 'waitsAt' },
    ExpressionAttributeValues: { ':waitsAt': waitsAt },
    ScanIndexForward: true,
  };
  const waiting: WaitingJob[] = [];
  for await (const item of queryItems(table, query, waitingBatchItems)) {
    const { partition, expiresAtEpochSeconds } = IndexEntry.parse(item);
    waiting.push({ jobKey: partition, sinceEpochMs: requestedAtOf(expiresAtEpochSeconds) });
  }
  return waiting;
}

const StoredKey = z.object({ partition: z.string() });

async function getStored(table: DynamoTable, jobKeys: readonly string[]): Promise<StoredJob[]> {
  // DynamoDB refuses a batch that names a key twice.
  const keys = [...new Set(jobKeys)].map((partition) => ({ partition, item: 'job' }));
  return (await getItems(table, keys)).map((item) => ({ jobKey: StoredKey.parse(item).partition, item }));
}

/** Each pool is an item of its own: a CI system may have thousands. */
const LookItem = z.object({ poolKey: z.string(), look: PoolLook });
const lookRetentionMs = 24 * 3_600_000;

function looksOf(ciSystem: string): string {
  return `${ciSystem}/looks`;
}

async function readLooks(table: DynamoTable, ciSystem: string): Promise<ReadonlyMap<string, PoolLook>> {
  const looks = new Map<string, PoolLook>();
  for await (const item of queryPartition(table, looksOf(ciSystem))) {
    const { poolKey, look } = LookItem.parse(item);
    looks.set(poolKey, look);
  }
  return looks;
}

async function keepLook(
  table: DynamoTable,
  ciSystem: string,
  poolKey: string,
  look: PoolLook,
  atEpochMs: number,
): Promise<void> {
  // Two reconciles at once; the later look stays:
  //   A   looks at 10:00 ───────────────────────────────────────────► 10:01 < 10:00? refused
  //   B                    looks at 10:01 ──► kept
  await writeUnlessNewer(table, {
    Key: { partition: looksOf(ciSystem), item: createHash('sha256').update(poolKey).digest('base64url') },
    attributes: { look, poolKey, keptAtEpochMs: atEpochMs },
    timeAt: ['keptAtEpochMs'],
    atEpochMs,
    expiresAtEpochMs: atEpochMs + lookRetentionMs,
  });
}

import { createHash } from 'node:crypto';
import { PoolLook } from '../../core/agent/pool.ts';
import { TransientError } from '../../core/errors/errors.ts';
import { type JobId, jobKeyOf } from '../../core/job/job-id.ts';
import { changesOf, isWaiting, JobRecord, mergeJob, type SeenJob } from '../../core/job/job-record.ts';
import { requestedAtOf } from '../../core/retention.ts';
import { writtenJob } from '../../core/trace/written-of.ts';
import * as z from '../../core/zod.ts';
import type { Jobs, WaitingJob } from '../../ports/jobs.ts';
import { type Trace, untraced } from '../../ports/trace.ts';
import { jobItemReader, type ReportUnreadable, type StoredJob } from '../read-job-items.ts';
import { createDynamoRepositories } from './dynamo-repositories.ts';
import {
  type ConditionalUpdate,
  type DynamoTable,
  getItem,
  getItems,
  type Item,
  putNewItem,
  queryItems,
  queryPartition,
  updateItem,
} from './dynamo-table.ts';
import { revisionOf, withNextRevision } from './next-revision.ts';
import { waitingJobsIndex } from './table-definitions.ts';
import { unlessNewer, writtenAt } from './unless-newer.ts';

/**
 * Keeps the jobs in DynamoDB, each write a conditional one of a single item.
 *
 * @see table-definitions.ts for the table
 */
export function createDynamoJobs(
  dynamoTable: DynamoTable,
  trace: Trace = untraced,
  reportUnreadable: ReportUnreadable = () => {},
): Jobs {
  const table: JobsTable = { ...dynamoTable, trace };
  const readItems = jobItemReader(reportUnreadable);
  return {
    get: (job) => getRecord(table, job),
    note: (seen, atEpochMs) => note(table, seen, atEpochMs),
    claimLaunch: (job, counted, launchId, atEpochMs) => claimLaunch(table, job, counted, launchId, atEpochMs),
    noteRanBy: (job, launchId) => noteRanBy(table, job, launchId),
    noteNotLaunched: (job, reason) => noteNotLaunched(table, job, reason),
    noteLimited: (...given) => noteLimited(table, ...given),
    listWaiting: async (ciSystem) =>
      [...(await listIndexed(table, ciSystem)), ...(await listIndexed(table, limitedAt(ciSystem)))].toSorted(
        (one, other) => one.sinceEpochMs - other.sinceEpochMs,
      ),
    listLimited: (ciSystem) => listIndexed(table, limitedAt(ciSystem)),
    getMany: async (jobKeys) => readItems(await getStored(table, jobKeys)),
    ...createDynamoRepositories(table),
    readLooks: (ciSystem) => readLooks(table, ciSystem),
    keepLook: (...given) => keepLook(table, ...given),
  };
}

/** The table, and the trace of its jobs' records. */
interface JobsTable extends DynamoTable {
  trace: Trace;
}

function keyOf(job: JobId): Item {
  return { partition: jobKeyOf(job), item: 'job' };
}

async function getRecord(table: DynamoTable, job: JobId): Promise<JobRecord | undefined> {
  const item = await getItem(table, keyOf(job));
  return item === undefined ? undefined : JobRecord.parse(item);
}

/** A status moves to the right three times at most, and an expired record comes back once. */
const mostNotes = 5;

async function note(table: JobsTable, seen: SeenJob, atEpochMs: number): Promise<JobRecord> {
  // Two events of one job at once. Each writes only the attributes that it changes, so neither undoes the other's change.
  // A writer that has read an earlier status reads again:
  //   in_progress   reads queued ──► queued? in_progress, runner
  //   queued            reads queued ──────────► queued? refused ──► reads in_progress ──► nothing to add
  for (let attempt = 0; attempt < mostNotes; attempt += 1) {
    const known = await getRecord(table, seen);
    const merged = mergeJob(known, seen, atEpochMs);
    if (known === undefined) {
      // A record that comes back after it has expired goes on counting: it has less than one write in a millisecond.
      const revision = atEpochMs;
      const item = { ...keyOf(seen), ...merged, ...indexKeyOf(merged), revision };
      if (!(await putNewItem(table, 'partition', item))) continue;
      traceJob(table, 'note', merged, revision);
      return merged;
    }
    const changed = changesOf(known, merged);
    if (changed.length === 0) return known;
    const updated = await setFields(table, merged, changed, known.status);
    if (updated !== undefined) return updated;
  }
  throw new TransientError('WriteConflict', `the job ${jobKeyOf(seen)} changed each time it was read`);
}

/** The attribute that puts a job into the index of those that wait. */
function indexKeyOf(job: JobRecord): { waitsAt?: string } {
  return isWaiting(job) ? { waitsAt: job.ciSystem } : {};
}

function setFields(table: JobsTable, job: JobRecord, fields: readonly [string, unknown][], knownStatus: string) {
  const isIndexed = isWaiting(job);
  const names = fields.map(([name], index): [string, string] => [`#field${index}`, name]);
  const values = fields.map(([, value], index): [string, unknown] => [`:field${index}`, value]);
  return updateJob(table, 'note', {
    Key: keyOf(job),
    UpdateExpression: `SET ${fields.map((_, index) => `#field${index} = :field${index}`).join(', ')}${
      isIndexed ? '' : ' REMOVE #waitsAt'
    }`,
    ConditionExpression: '#status = :known',
    ExpressionAttributeNames: {
      ...Object.fromEntries(names),
      '#status': 'status',
      ...(isIndexed ? {} : { '#waitsAt': 'waitsAt' }),
    },
    ExpressionAttributeValues: { ...Object.fromEntries(values), ':known': knownStatus },
  });
}

async function claimLaunch(
  table: JobsTable,
  job: JobId,
  counted: number,
  launchId: string,
  atEpochMs: number,
): Promise<boolean> {
  // Two rounds that both count one launch, and want another. Ids tell a repeat from a rival:
  //   A   1 launch? ──► 2, x1: true
  //   B                     1 launch? refused ──► reads x1: true if that is the id that it wants
  // A job that is over by then needs no agent:
  //   completed   queued ──► completed
  //   admission                           queued? refused
  const claimed = await updateJob(table, 'claimLaunch', {
    Key: keyOf(job),
    UpdateExpression: 'SET #launches = :next, #lastLaunch = :launch REMOVE #notLaunched, #limitedBy',
    ConditionExpression: '#launches = :counted AND #status = :queued',
    ExpressionAttributeNames: {
      '#status': 'status',
      '#launches': 'launches',
      '#lastLaunch': 'lastLaunch',
      '#notLaunched': 'notLaunched',
      '#limitedBy': 'limitedBy',
    },
    ExpressionAttributeValues: {
      ':queued': 'queued',
      ':next': counted + 1,
      ':counted': counted,
      ':launch': { launchId, atEpochMs },
    },
  });
  if (claimed !== undefined) return true;
  const record = await getRecord(table, job);
  return record?.launches === counted + 1 && record.lastLaunch?.launchId === launchId;
}

async function noteRanBy(table: JobsTable, job: JobId, launchId: string): Promise<void> {
  // Two launches claim the same job; the first claim stays:
  //   A   nobody? ──► A
  //   B                   nobody? refused
  await updateJob(table, 'noteRanBy', {
    Key: keyOf(job),
    UpdateExpression: 'SET #ranBy = :launchId',
    ConditionExpression: 'attribute_exists(#status) AND attribute_not_exists(#ranBy)',
    ExpressionAttributeNames: { '#status': 'status', '#ranBy': 'ranBy' },
    ExpressionAttributeValues: { ':launchId': launchId },
  });
}

async function noteNotLaunched(table: JobsTable, job: JobId, reason: string): Promise<void> {
  await updateJob(table, 'noteNotLaunched', {
    Key: keyOf(job),
    UpdateExpression: 'SET #notLaunched = :reason REMOVE #limitedBy',
    ConditionExpression: 'attribute_exists(#status)',
    ExpressionAttributeNames: { '#status': 'status', '#notLaunched': 'notLaunched', '#limitedBy': 'limitedBy' },
    ExpressionAttributeValues: { ':reason': reason },
  });
}

async function noteLimited(
  table: JobsTable,
  job: JobId,
  counted: number,
  limitKey: string | undefined,
  reason: string,
): Promise<void> {
  // A job that begins to run just then is in no index, and stays so:
  //   in_progress   queued ──► in_progress, not in the index
  //   limited                               queued? refused
  // A job that got a slot just then waits for none:
  //   admission   0 launches? ──► 1 launch, not limited
  //   limited                                            0 launches? refused
  await updateJob(table, 'noteLimited', {
    Key: keyOf(job),
    UpdateExpression: `SET #notLaunched = :reason, #waitsAt = :waitsAt${
      limitKey === undefined ? ' REMOVE #limitedBy' : ', #limitedBy = :limit'
    }`,
    ConditionExpression: '#status = :queued AND #launches = :counted',
    ExpressionAttributeNames: {
      '#status': 'status',
      '#launches': 'launches',
      '#notLaunched': 'notLaunched',
      '#limitedBy': 'limitedBy',
      '#waitsAt': 'waitsAt',
    },
    ExpressionAttributeValues: {
      ':queued': 'queued',
      ':counted': counted,
      ':reason': reason,
      ':limit': limitKey,
      ':waitsAt': limitKey === undefined ? job.ciSystem : limitedAt(job.ciSystem),
    },
  });
}

/** Changes a job's record if the condition holds. @returns the record */
async function updateJob(
  table: JobsTable,
  command: keyof Jobs,
  update: ConditionalUpdate,
): Promise<JobRecord | undefined> {
  const item = await updateItem(table, withNextRevision(update));
  if (item === undefined) return undefined;
  const record = JobRecord.parse(item);
  traceJob(table, command, record, revisionOf(item));
  return record;
}

function traceJob({ trace }: JobsTable, command: keyof Jobs, record: JobRecord, revision: number): void {
  trace({ kind: 'job', key: jobKeyOf(record), revision, command, fields: writtenJob(record) });
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
const lookRetentionSeconds = 24 * 3600;

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
  await updateItem(table, {
    Key: { partition: looksOf(ciSystem), item: createHash('sha256').update(poolKey).digest('base64url') },
    UpdateExpression: 'SET #look = :look, #poolKey = :poolKey, #keptAt = :at, #expiresAt = :expiresAt',
    ConditionExpression: unlessNewer('#keptAt'),
    ExpressionAttributeNames: {
      '#look': 'look',
      '#poolKey': 'poolKey',
      '#keptAt': 'keptAtEpochMs',
      '#expiresAt': 'expiresAtEpochSeconds',
    },
    ExpressionAttributeValues: {
      ':look': look,
      ':poolKey': poolKey,
      ...writtenAt(atEpochMs),
      ':expiresAt': Math.ceil(atEpochMs / 1000) + lookRetentionSeconds,
    },
  });
}

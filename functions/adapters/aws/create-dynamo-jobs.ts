import { TransientError } from '../../domain/errors.ts';
import { type JobId, JobRecord, jobKeyOf, mergeJob, type SeenJob } from '../../domain/job-record.ts';
import { PoolLook } from '../../domain/pool.ts';
import type { Jobs } from '../../ports/jobs.ts';
import * as z from '../../zod.ts';
import { createDynamoPlaces } from './dynamo-places.ts';
import { type DynamoTable, getItem, type Item, putNewItem, updateItem } from './dynamo-table.ts';

/**
 * Keeps the jobs in DynamoDB, each write a conditional one of a single item.
 *
 * @see table-definitions.ts for the table
 */
export function createDynamoJobs(table: DynamoTable): Jobs {
  return {
    get: (job) => getRecord(table, job),
    note: (seen, atEpochMs) => note(table, seen, atEpochMs),
    claimLaunch: (job, counted, launchId, atEpochMs) => claimLaunch(table, job, counted, launchId, atEpochMs),
    noteRanBy: (job, launchId) => noteRanBy(table, job, launchId),
    noteNotLaunched: (job, reason) => noteNotLaunched(table, job, reason),
    ...createDynamoPlaces(table),
    readLooks: (ciSystem) => readLooks(table, ciSystem),
    keepLooks: (ciSystem, looks, atEpochMs) => keepLooks(table, ciSystem, looks, atEpochMs),
  };
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

async function note(table: DynamoTable, seen: SeenJob, atEpochMs: number): Promise<JobRecord> {
  // Two events of one job at once. Each writes only the attributes that it changes, so neither undoes the other's, and
  // whoever has read an earlier status reads again:
  //   in_progress   reads queued ──► queued? in_progress, runner
  //   queued            reads queued ──────────► queued? refused ──► reads in_progress ──► nothing to add
  for (let attempt = 0; attempt < mostNotes; attempt += 1) {
    const known = await getRecord(table, seen);
    const merged = mergeJob(known, seen, atEpochMs);
    if (known === undefined) {
      if (await putNewItem(table, 'partition', { ...keyOf(seen), ...merged })) return merged;
      continue;
    }
    const changed = changesOf(known, merged);
    if (changed.length === 0) return known;
    const updated = await setFields(table, seen, changed, known.status);
    if (updated !== undefined) return JobRecord.parse(updated);
  }
  throw new TransientError('WriteConflict', `the job ${jobKeyOf(seen)} changed each time it was read`);
}

function changesOf(known: JobRecord, merged: JobRecord): [string, unknown][] {
  const before = new Map<string, unknown>(Object.entries(known));
  return Object.entries(merged).filter(([name, value]) => JSON.stringify(before.get(name)) !== JSON.stringify(value));
}

function setFields(table: DynamoTable, job: JobId, fields: readonly [string, unknown][], knownStatus: string) {
  const names = fields.map(([name], index): [string, string] => [`#field${index}`, name]);
  const values = fields.map(([, value], index): [string, unknown] => [`:field${index}`, value]);
  return updateItem(table, {
    Key: keyOf(job),
    UpdateExpression: `SET ${fields.map((_, index) => `#field${index} = :field${index}`).join(', ')}`,
    ConditionExpression: '#status = :known',
    ExpressionAttributeNames: { ...Object.fromEntries(names), '#status': 'status' },
    ExpressionAttributeValues: { ...Object.fromEntries(values), ':known': knownStatus },
  });
}

async function claimLaunch(
  table: DynamoTable,
  job: JobId,
  counted: number,
  launchId: string,
  atEpochMs: number,
): Promise<boolean> {
  // Two rounds that both count one launch, and want another. Ids tell a repeat from a rival:
  //   A   1 launch? ──► 2, x1: true
  //   B                     1 launch? refused ──► reads x1: true if that is the id that it wants
  const claimed = await updateItem(table, {
    Key: keyOf(job),
    UpdateExpression: 'SET #launches = :next, #lastLaunch = :launch REMOVE #notLaunched',
    ConditionExpression: '#launches = :counted',
    ExpressionAttributeNames: {
      '#launches': 'launches',
      '#lastLaunch': 'lastLaunch',
      '#notLaunched': 'notLaunched',
    },
    ExpressionAttributeValues: { ':next': counted + 1, ':counted': counted, ':launch': { launchId, atEpochMs } },
  });
  if (claimed !== undefined) return true;
  const record = await getRecord(table, job);
  return record?.launches === counted + 1 && record.lastLaunch?.launchId === launchId;
}

async function noteRanBy(table: DynamoTable, job: JobId, launchId: string): Promise<void> {
  // The same job told to be run by two launches; the first stays:
  //   A   nobody? ──► A
  //   B                   nobody? refused
  await updateItem(table, {
    Key: keyOf(job),
    UpdateExpression: 'SET #ranBy = :launchId',
    ConditionExpression: 'attribute_exists(#status) AND attribute_not_exists(#ranBy)',
    ExpressionAttributeNames: { '#status': 'status', '#ranBy': 'ranBy' },
    ExpressionAttributeValues: { ':launchId': launchId },
  });
}

async function noteNotLaunched(table: DynamoTable, job: JobId, reason: string): Promise<void> {
  await updateItem(table, {
    Key: keyOf(job),
    UpdateExpression: 'SET #notLaunched = :reason',
    ConditionExpression: 'attribute_exists(#status)',
    ExpressionAttributeNames: { '#status': 'status', '#notLaunched': 'notLaunched' },
    ExpressionAttributeValues: { ':reason': reason },
  });
}

/** All pools of a CI system are one item, so that a reconcile keeps all of them or none. */
const Looks = z.object({ looks: z.record(z.string(), PoolLook) });
const looksRetentionSeconds = 24 * 3600;

function looksKeyOf(ciSystem: string): Item {
  return { partition: `${ciSystem}/looks`, item: 'looks' };
}

async function readLooks(table: DynamoTable, ciSystem: string): Promise<ReadonlyMap<string, PoolLook>> {
  const item = await getItem(table, looksKeyOf(ciSystem));
  return new Map(item === undefined ? [] : Object.entries(Looks.parse(item).looks));
}

async function keepLooks(
  table: DynamoTable,
  ciSystem: string,
  looks: ReadonlyMap<string, PoolLook>,
  atEpochMs: number,
): Promise<void> {
  // Two reconciles at once; the later look stays:
  //   A   looks at 10:00 ───────────────────────────────────────────► 10:01 < 10:00? refused
  //   B                    looks at 10:01 ──► kept
  await updateItem(table, {
    Key: looksKeyOf(ciSystem),
    UpdateExpression: 'SET #looks = :looks, #keptAt = :at, #expiresAt = :expiresAt',
    ConditionExpression: 'attribute_not_exists(#keptAt) OR #keptAt <= :at',
    ExpressionAttributeNames: {
      '#looks': 'looks',
      '#keptAt': 'keptAtEpochMs',
      '#expiresAt': 'expiresAtEpochSeconds',
    },
    ExpressionAttributeValues: {
      ':looks': Object.fromEntries(looks),
      ':at': atEpochMs,
      ':expiresAt': Math.ceil(atEpochMs / 1000) + looksRetentionSeconds,
    },
  });
}

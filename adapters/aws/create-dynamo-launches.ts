import type { LaunchRecord } from '../../core/launch/launch-record.ts';
import { LaunchId } from '../../core/launch/names.ts';
import { standbyPoolOf } from '../../core/launch/standby-pool.ts';
import * as z from '../../core/zod.ts';
import { LaunchesIn } from '../../logic/records/launches-in.ts';
import { registrationsIn } from '../../logic/records/registrations-in.ts';
import { tracedLaunches } from '../../logic/traces/traced-records.ts';
import type { FoundLaunches, Launches } from '../../ports/launches.ts';
import type { RecordStore } from '../../ports/record-store.ts';
import type { Registrations } from '../../ports/registrations.ts';
import { type Trace, untraced } from '../../ports/trace.ts';
import { createDynamoRecords } from './create-dynamo-records.ts';
import { type DynamoTable, getItems, queryItems } from './dynamo-table.ts';
import { listLaunches } from './list-launches.ts';
import { readLaunch, readLaunchItem, recordsOf, unreadableOf } from './read-launch-item.ts';
import { standbyIndex } from './table-definitions.ts';

/**
 * Keeps the launches in DynamoDB: `create-dynamo-records.ts` writes them, `logic/records/launches-in.ts` says what.
 *
 * @see table-definitions.ts for the table
 */
export function createDynamoLaunches(table: DynamoTable, trace: Trace = untraced): Launches {
  return new LaunchesIn(tracedLaunches(launchRecords(table), trace), {
    getMany: (launchIds) => getRecords(table, launchIds),
    list: (query) => listLaunches(table, query),
    listStandby: (poolKey, limit) => listStandby(table, poolKey, limit),
  });
}

/** Keeps registrations in the launches' records. */
export function createDynamoRegistrations(table: DynamoTable, trace: Trace = untraced): Registrations {
  return registrationsIn(tracedLaunches(launchRecords(table), trace));
}

function launchRecords(table: DynamoTable): RecordStore<LaunchRecord> {
  return createDynamoRecords(table, {
    keyOf: (launchId) => ({ launchId }),
    read: readLaunch,
    indexOf: (record) => ({ standsByAt: standbyPoolOf(record) }),
  });
}

async function getRecords(table: DynamoTable, launchIds: readonly string[]): Promise<FoundLaunches> {
  // DynamoDB refuses a batch that names a key twice.
  const keys = [...new Set(launchIds)].map((launchId) => ({ launchId }));
  const read = (await getItems(table, keys)).map(readLaunchItem);
  const records = new Map(recordsOf(read).map((record) => [record.launchId, record]));
  return { records, unreadable: unreadableOf(read) };
}

const IndexEntry = z.object({ launchId: LaunchId });

async function listStandby(table: DynamoTable, poolKey: string, limit: number): Promise<LaunchId[]> {
  const query = {
    IndexName: standbyIndex,
    KeyConditionExpression: '#standsByAt = :pool',
    ExpressionAttributeNames: { '#standsByAt': 'standsByAt' },
    ExpressionAttributeValues: { ':pool': poolKey },
    ScanIndexForward: true,
  };
  const found: LaunchId[] = [];
  for await (const item of queryItems(table, query, limit)) {
    if (found.push(IndexEntry.parse(item).launchId) === limit) break;
  }
  return found;
}

import type { LaunchStatus } from '../../domain/launch-record.ts';
import type { Launches, LaunchPage } from '../../ports/launches.ts';
import { type DynamoTable, queryItems } from './dynamo-table.ts';
import type { LaunchPosition } from './launch-cursor.ts';
import { launchCursorOf, readLaunchCursor } from './launch-cursor.ts';
import { type ReadItem, readLaunchItem, recordsOf, unreadableOf } from './read-launch-item.ts';
import { launchesByStatusIndex } from './table-definitions.ts';

type ListQuery = Parameters<Launches['list']>[0];

/**
 * Lists launches by status, newest first within each, eventually consistent: a launch that changes its status between
 * two pages may be on both, or on neither.
 *
 * @returns undefined for a cursor that is not ours, or of a query of other statuses
 * @throws TransientError StoreUnavailable
 */
export async function listLaunches(table: DynamoTable, query: ListQuery): Promise<LaunchPage | undefined> {
  const statuses = [...new Set(query.statuses)];
  const from = query.cursor === undefined ? undefined : readLaunchCursor(query.cursor);
  if (query.cursor !== undefined && (from === undefined || !statuses.includes(from.status))) return undefined;

  const found: ReadItem[] = [];
  let count = 0;
  const rest = from === undefined ? statuses : statuses.slice(statuses.indexOf(from.status));
  for (const status of rest) {
    const after = status === from?.status ? from : undefined;
    for await (const each of launchesOf(table, status, query.limit + 1, after)) {
      if ('record' in each) count += 1;
      // The one that is too many says that there is a next page, and is the first on it.
      if (count > query.limit) return fullPageOf(found);
      found.push(each);
    }
  }
  return { launches: recordsOf(found), unreadable: unreadableOf(found) };
}

/** Ends with a launch that can be read: a cursor is made of that, and what comes after it is on the next page. */
function fullPageOf(found: readonly ReadItem[]): LaunchPage {
  const page = found.slice(0, found.findLastIndex((each) => 'record' in each) + 1);
  const launches = recordsOf(page);
  const last = launches.at(-1);
  return { launches, unreadable: unreadableOf(page), ...(last === undefined ? {} : { cursor: launchCursorOf(last) }) };
}

async function* launchesOf(
  table: DynamoTable,
  status: LaunchStatus,
  batchItems: number,
  after: LaunchPosition | undefined,
): AsyncGenerator<ReadItem> {
  const query = {
    IndexName: launchesByStatusIndex,
    KeyConditionExpression: '#status = :status',
    ExpressionAttributeNames: { '#status': 'status' },
    ExpressionAttributeValues: { ':status': status },
    ScanIndexForward: false,
  };
  for await (const item of queryItems(table, query, batchItems, after)) yield readLaunchItem(item);
}

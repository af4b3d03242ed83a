import { isShown, type LaunchFilter } from '../../core/launch/launch-filter.ts';
import type { LaunchStatus } from '../../core/launch/launch-record.ts';
import type { LaunchPage, LaunchQuery } from '../../ports/launches.ts';
import { type DynamoTable, queryItems } from './dynamo-table.ts';
import { type LaunchPosition, launchCursorOf, readLaunchCursor } from './launch-cursor.ts';
import { type ReadItem, readLaunchItem, recordsOf, unreadableOf } from './read-launch-item.ts';
import { launchesByStatusIndex } from './table-definitions.ts';

/** The most items to read for one page, however few of them a filter shows. */
export const mostReadItems = 1000;
/** How many items to read at a time if a filter may exclude some. */
const filteredBatchItems = 250;

/**
 * Lists launches by status, newest first within each, eventually consistent: a launch that changes its status between two
 * pages may be on both, or on neither. The index finds a status and a span of time. davit compares profile, cluster and
 * repository item by item, at most `mostReadItems` a page.
 *
 * @returns undefined for a cursor that is not davit's, or of a query for other statuses
 * @throws TransientError StoreUnavailable
 */
export async function listLaunches(table: DynamoTable, query: LaunchQuery): Promise<LaunchPage | undefined> {
  const { filter = {}, limit } = query;
  const statuses = [...new Set(query.statuses)];
  const from = query.cursor === undefined ? undefined : readLaunchCursor(query.cursor);
  if (query.cursor !== undefined && (from === undefined || !isOf(query, from))) return undefined;

  const read: ReadItem[] = [];
  let shown = 0;
  const rest = from === undefined ? statuses : statuses.slice(statuses.indexOf(from.status));
  for (const status of rest) {
    const after = status === from?.status ? from : undefined;
    for await (const each of launchesOf(table, status, query, after)) {
      if ('record' in each && isShown(filter, each.record)) shown += 1;
      // One item more than the limit shows that there is a next page, and is the first on it.
      if (shown > limit || isEnough(read)) return fullPageOf(read, filter);
      read.push(each);
    }
  }
  return pageOf(read, filter);
}

/** DynamoDB refuses a start outside of the query's range. */
function isOf({ statuses, filter = {} }: LaunchQuery, { status, requestedAtEpochMs }: LaunchPosition): boolean {
  const { sinceEpochMs = 0, untilEpochMs = Number.MAX_SAFE_INTEGER } = filter;
  return statuses.includes(status) && requestedAtEpochMs >= sinceEpochMs && requestedAtEpochMs <= untilEpochMs;
}

/** A page ends with a readable launch: see `fullPageOf`. */
function isEnough(read: readonly ReadItem[]): boolean {
  return read.length >= mostReadItems && read.some((each) => 'record' in each);
}

/** Ends with a readable launch. The cursor names it, and the next page continues after it. */
function fullPageOf(read: readonly ReadItem[], filter: LaunchFilter): LaunchPage {
  const page = read.slice(0, read.findLastIndex((each) => 'record' in each) + 1);
  const last = recordsOf(page).at(-1);
  return { ...pageOf(page, filter), ...(last === undefined ? {} : { cursor: launchCursorOf(last) }) };
}

function pageOf(read: readonly ReadItem[], filter: LaunchFilter): LaunchPage {
  return { launches: recordsOf(read).filter((record) => isShown(filter, record)), unreadable: unreadableOf(read) };
}

async function* launchesOf(
  table: DynamoTable,
  status: LaunchStatus,
  { limit, filter = {} }: LaunchQuery,
  after: LaunchPosition | undefined,
): AsyncGenerator<ReadItem> {
  const { sinceEpochMs = 0, untilEpochMs = Number.MAX_SAFE_INTEGER, ...compared } = filter;
  const query = {
    IndexName: launchesByStatusIndex,
    KeyConditionExpression: '#status = :status AND #requestedAt BETWEEN :since AND :until',
    ExpressionAttributeNames: { '#status': 'status', '#requestedAt': 'requestedAtEpochMs' },
    ExpressionAttributeValues: { ':status': status, ':since': sinceEpochMs, ':until': untilEpochMs },
    ScanIndexForward: false,
  };
  // BETWEEN refuses bounds in the wrong order.
  if (sinceEpochMs > untilEpochMs) return;
  const batchItems = Object.keys(compared).length === 0 ? limit + 1 : filteredBatchItems;
  for await (const item of queryItems(table, query, batchItems, after)) yield readLaunchItem(item);
}

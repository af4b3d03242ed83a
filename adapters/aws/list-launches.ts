import { isShown, type LaunchFilter } from '../../core/launch/launch-filter.ts';
import { type LaunchRecord, LaunchStatus } from '../../core/launch/launch-record.ts';
import * as z from '../../core/zod.ts';
import type { LaunchPage, LaunchQuery } from '../../ports/launches.ts';
import { type DynamoTable, getItems, type Item, queryPages } from './dynamo-table.ts';
import { type LaunchPosition, launchCursorOf, readLaunchCursor } from './launch-cursor.ts';
import { type ReadItem, readLaunchItem, recordsOf, unreadableOf } from './read-launch-item.ts';
import { launchesByStatusIndex } from './table-definitions.ts';

/** The most items to read for one page, however few of them a filter shows. */
export const mostReadItems = 1000;
/** How many items to read at a time if a filter may exclude some. */
const filteredBatchItems = 250;

/**
 * Lists launches by status, newest first within each, eventually consistent: a launch that changes its status between two
 * pages may be on both, or on neither. The index finds the ids of a status and a span of time, and davit reads their records.
 * It compares profile, cluster and repository record by record, at most `mostReadItems` a page.
 *
 * @returns undefined for a cursor that is not davit's, or of a query for other statuses
 * @throws TransientError StoreUnavailable
 */
export async function listLaunches(table: DynamoTable, query: LaunchQuery): Promise<LaunchPage | undefined> {
  const { filter = {}, limit } = query;
  const statuses = [...new Set(query.statuses)];
  const from = query.cursor === undefined ? undefined : readLaunchCursor(query.cursor);
  if (query.cursor !== undefined && (from === undefined || !isOf(query, from))) return undefined;

  const read: Listed[] = [];
  const known = new Set<string>();
  let shown = 0;
  const rest = from === undefined ? statuses : statuses.slice(statuses.indexOf(from.status));
  for (const status of rest) {
    const after = status === from?.status ? from : undefined;
    for await (const each of launchesOf(table, status, query, after)) {
      if (known.has(each.at.launchId) || !isAsked(each, statuses)) continue;
      if (isRecord(each) && isShown(filter, each.item.record)) shown += 1;
      // One item more than the limit shows that there is a next page, and is the first on it.
      if (shown > limit || isEnough(read)) return fullPageOf(read, filter);
      known.add(each.at.launchId);
      read.push(each);
    }
  }
  return pageOf(read, filter);
}

/** An entry of the index: its keys, also those of a damaged record. */
const IndexEntry = z.object({ status: LaunchStatus, requestedAtEpochMs: z.number(), launchId: z.string() });
type IndexEntry = z.infer<typeof IndexEntry>;

/** A launch with its place in the index, which may be behind its record. */
interface Listed {
  at: IndexEntry;
  item: ReadItem;
}
type ListedRecord = Listed & { item: { record: LaunchRecord } };

function isRecord(listed: Listed): listed is ListedRecord {
  return 'record' in listed.item;
}

/** A launch that has changed its status since it was in the index counts where it was, if its status is asked for, too. */
function isAsked(listed: Listed, statuses: readonly LaunchStatus[]): boolean {
  return !isRecord(listed) || statuses.includes(listed.item.record.status);
}

/** DynamoDB refuses a start outside of the query's range. */
function isOf({ statuses, filter = {} }: LaunchQuery, { status, requestedAtEpochMs }: LaunchPosition): boolean {
  const { sinceEpochMs = 0, untilEpochMs = Number.MAX_SAFE_INTEGER } = filter;
  return statuses.includes(status) && requestedAtEpochMs >= sinceEpochMs && requestedAtEpochMs <= untilEpochMs;
}

/** A page ends with a readable launch: see `fullPageOf`. */
function isEnough(read: readonly Listed[]): boolean {
  return read.length >= mostReadItems && read.some(isRecord);
}

/** Ends with a readable launch. The cursor names it, and the next page continues after it. */
function fullPageOf(read: readonly Listed[], filter: LaunchFilter): LaunchPage {
  const page = read.slice(0, read.findLastIndex(isRecord) + 1);
  const last = page.at(-1);
  return { ...pageOf(page, filter), ...(last === undefined ? {} : { cursor: launchCursorOf(last.at) }) };
}

function pageOf(read: readonly Listed[], filter: LaunchFilter): LaunchPage {
  const items = read.map(({ item }) => item);
  return { launches: recordsOf(items).filter((record) => isShown(filter, record)), unreadable: unreadableOf(items) };
}

async function* launchesOf(
  table: DynamoTable,
  status: LaunchStatus,
  { limit, filter = {} }: LaunchQuery,
  after: LaunchPosition | undefined,
): AsyncGenerator<Listed> {
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
  for await (const entries of queryPages(table, query, batchItems, after)) yield* await readEntries(table, entries);
}

/** Reads the launches of some entries of the index, in their order. One whose record is gone is not among them. */
async function readEntries(table: DynamoTable, entries: readonly Item[]): Promise<Listed[]> {
  const positions = entries.map((entry) => IndexEntry.parse(entry));
  const keys = positions.map(({ launchId }) => ({ launchId }));
  const items = new Map((await getItems(table, keys, { isConsistent: false })).map((item) => [item['launchId'], item]));
  return positions.flatMap((at) => {
    const item = items.get(at.launchId);
    return item === undefined ? [] : [{ at, item: readLaunchItem(item) }];
  });
}

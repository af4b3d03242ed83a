import { type LaunchPosition, launchCursorOf, readLaunchCursor } from '../../adapters/aws/launch-cursor.ts';
import {
  type ReadItem,
  readLaunch,
  readLaunchItem,
  recordsOf,
  unreadableOf,
} from '../../adapters/aws/read-launch-item.ts';
import { isShown } from '../../core/launch/launch-filter.ts';
import type { LaunchRecord, LaunchStatus } from '../../core/launch/launch-record.ts';
import type { LaunchId } from '../../core/launch/names.ts';
import { standbyPoolOf } from '../../core/launch/standby-pool.ts';
import { LaunchesIn } from '../../logic/records/launches-in.ts';
import { tracedLaunches } from '../../logic/traces/traced-records.ts';
import type { FoundLaunches, LaunchPage, LaunchQuery } from '../../ports/launches.ts';
import type { RecordStore } from '../../ports/record-store.ts';
import { type Trace, untraced } from '../../ports/trace.ts';
import type { Store } from './open-store.ts';
import { numberOf } from './rows.ts';
import { itemOf, sqliteRecords } from './sqlite-records.ts';

/** Keeps the launches in the store: `records`, in which their registrations are, too. */
export function sqliteLaunches(
  store: Store,
  trace: Trace = untraced,
): LaunchesIn & { records: RecordStore<LaunchRecord> } {
  const records = tracedLaunches(launchRecords(store), trace);
  const launches = new LaunchesIn(records, {
    getMany: async (launchIds) => getMany(store, launchIds),
    list: async (query) => listLaunches(store, query),
    listStandby: async (poolKey, limit) => listStandby(store, poolKey, limit),
  });
  return Object.assign(launches, { records });
}

function launchRecords(store: Store): RecordStore<LaunchRecord> {
  const { sql } = store;
  return sqliteRecords<LaunchRecord>(store, {
    read: readLaunch,
    isPublished: true,
    select: (launchId) => sql.get`SELECT revision, item FROM launch WHERE launch_id = ${launchId}`,
    put: (launchId, { status, requestedAtEpochMs, expiresAtEpochSeconds }, revision, item) => {
      sql.run`
        INSERT OR REPLACE INTO launch VALUES
          (${launchId}, ${status}, ${requestedAtEpochMs}, ${revision}, ${expiresAtEpochSeconds}, ${item})`;
    },
  });
}

function getMany({ sql, read }: Store, launchIds: readonly string[]): FoundLaunches {
  const rows = read(
    () =>
      sql.all`SELECT item FROM launch WHERE launch_id IN (SELECT value FROM json_each(${JSON.stringify(launchIds)}))`,
  );
  const items = rows.map((row) => readLaunchItem(itemOf(row)));
  const records = new Map(recordsOf(items).map((record) => [record.launchId, record]));
  return { records, unreadable: unreadableOf(items) };
}

/** Reads all agents that stand by, of every pool: one process has few of them. */
function listStandby({ sql, read }: Store, poolKey: string, limit: number): LaunchId[] {
  const rows = read(
    () => sql.all`
      SELECT item FROM launch WHERE status = 'connected' AND item ->> '$.standby.sinceEpochMs' IS NOT NULL
        AND item -> '$.standby.summons' IS NULL ORDER BY requested_at, launch_id`,
  );
  return recordsOf(rows.map((row) => readLaunchItem(itemOf(row))))
    .filter((record) => standbyPoolOf(record) === poolKey)
    .slice(0, limit)
    .map(({ launchId }) => launchId);
}

/** Lists launches by status, newest first within each. */
function listLaunches(store: Store, query: LaunchQuery): LaunchPage | undefined {
  const { filter = {}, limit } = query;
  const statuses = [...new Set(query.statuses)];
  const from = query.cursor === undefined ? undefined : readLaunchCursor(query.cursor);
  if (query.cursor !== undefined && (from === undefined || !isOf(query, from))) return undefined;

  const page: ReadItem[] = [];
  let shown = 0;
  const rest = from === undefined ? statuses : statuses.slice(statuses.indexOf(from.status));
  for (const status of rest) {
    for (const each of launchesOf(store, status, query, status === from?.status ? from : undefined)) {
      if ('record' in each) {
        if (!isShown(filter, each.record)) continue;
        // One launch more than the limit shows that there is a next page, and is the first on it.
        shown += 1;
        if (shown > limit) return fullPageOf(page);
      }
      page.push(each);
    }
  }
  return pageOf(page);
}

function isOf({ statuses, filter = {} }: LaunchQuery, { status, requestedAtEpochMs }: LaunchPosition): boolean {
  const { sinceEpochMs = 0, untilEpochMs = Number.MAX_SAFE_INTEGER } = filter;
  return statuses.includes(status) && requestedAtEpochMs >= sinceEpochMs && requestedAtEpochMs <= untilEpochMs;
}

/** Ends with a readable launch, which the cursor names. */
function fullPageOf(read: readonly ReadItem[]): LaunchPage {
  const page = read.slice(0, read.findLastIndex((each) => 'record' in each) + 1);
  const last = recordsOf(page).at(-1);
  return { ...pageOf(page), ...(last === undefined ? {} : { cursor: launchCursorOf(last) }) };
}

function pageOf(read: readonly ReadItem[]): LaunchPage {
  return { launches: recordsOf(read), unreadable: unreadableOf(read) };
}

const batch = 250;

/** Reads a batch at a time, because another statement may run between two launches. */
function* launchesOf(
  { sql, read }: Store,
  status: LaunchStatus,
  { filter = {} }: LaunchQuery,
  after: LaunchPosition | undefined,
): Generator<ReadItem> {
  const { sinceEpochMs = 0, untilEpochMs = Number.MAX_SAFE_INTEGER } = filter;
  let position = { at: after?.requestedAtEpochMs ?? untilEpochMs, id: after?.launchId ?? '' };
  for (;;) {
    const { at, id } = position;
    const rows = read(
      () => sql.all`
        SELECT launch_id, requested_at, item FROM launch
        WHERE status = ${status} AND requested_at BETWEEN ${sinceEpochMs} AND ${at}
          AND (requested_at < ${at} OR launch_id > ${id})
        ORDER BY requested_at DESC, launch_id LIMIT ${batch}`,
    );
    for (const row of rows) yield readLaunchItem(itemOf(row));
    const last = rows.at(-1);
    if (last === undefined || rows.length < batch) return;
    position = { at: numberOf(last, 'requested_at'), id: String(last['launch_id']) };
  }
}

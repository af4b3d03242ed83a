import * as z from 'zod';
import { isShown } from '../../core/launch/launch-filter.ts';
import { type LaunchRecord, LaunchStatus } from '../../core/launch/launch-record.ts';
import { standbyPoolOf } from '../../core/launch/standby-pool.ts';
import type { LaunchPage, LaunchQuery, UnreadableLaunch } from '../../ports/launches.ts';

const Cursor = z.strictObject({ status: LaunchStatus, requestedAtEpochMs: z.int(), launchId: z.string() });
type Cursor = z.infer<typeof Cursor>;

/** The launches whose records in a table are unreadable. */
export type Damaged = ReadonlySet<string>;

/**
 * Lists one page of records as the table's index does: by status in the requested order, newest first within each. An
 * unreadable record does not count towards the limit.
 *
 * @returns undefined for a foreign cursor
 */
export function pageOf(
  records: readonly LaunchRecord[],
  { statuses, filter = {}, limit, cursor }: LaunchQuery,
  damaged: Damaged,
): LaunchPage | undefined {
  const after = cursor === undefined ? undefined : parseCursor(cursor);
  if (cursor !== undefined && after === undefined) return undefined;
  const { sinceEpochMs = 0, untilEpochMs = Number.MAX_SAFE_INTEGER } = filter;
  if (after !== undefined && (after.requestedAtEpochMs < sinceEpochMs || after.requestedAtEpochMs > untilEpochMs)) {
    return undefined;
  }
  const compare = byStatusThenNewest(statuses);
  const rest = records
    .filter(({ status }) => statuses.includes(status))
    .filter((record) => damaged.has(record.launchId) || isShown(filter, record))
    .filter((record) => after === undefined || compare(record, after) > 0)
    .toSorted(compare);
  const readable = rest.filter(({ launchId }) => !damaged.has(launchId));
  const last = readable.length > limit ? readable[limit - 1] : undefined;
  if (last === undefined) return splitByDamage(rest, damaged);
  return { ...splitByDamage(rest.slice(0, rest.indexOf(last) + 1), damaged), cursor: cursorOf(last) };
}

/** Lists the launches of a pool whose agents stand by, as the table's index does, oldest first. */
export function standbyOf(records: readonly LaunchRecord[], poolKey: string, limit: number): string[] {
  return records
    .filter((record) => standbyPoolOf(record) === poolKey)
    .toSorted((one, other) => one.requestedAtEpochMs - other.requestedAtEpochMs)
    .slice(0, limit)
    .map(({ launchId }) => launchId);
}

/** Separates the readable records from the unreadable ones. */
export function splitByDamage(
  found: readonly LaunchRecord[],
  damaged: Damaged,
): { launches: LaunchRecord[]; unreadable: UnreadableLaunch[] } {
  const isDamaged = ({ launchId }: LaunchRecord) => damaged.has(launchId);
  return {
    launches: found.filter((record) => !isDamaged(record)),
    unreadable: found.filter(isDamaged).map(({ launchId }) => ({ launchId, why: 'damaged' })),
  };
}

function byStatusThenNewest(statuses: readonly LaunchStatus[]): (one: Cursor, other: Cursor) => number {
  return (one, other) =>
    statuses.indexOf(one.status) - statuses.indexOf(other.status) ||
    other.requestedAtEpochMs - one.requestedAtEpochMs ||
    one.launchId.localeCompare(other.launchId);
}

function cursorOf({ status, requestedAtEpochMs, launchId }: LaunchRecord): string {
  return Buffer.from(JSON.stringify({ status, requestedAtEpochMs, launchId })).toString('base64url');
}

function parseCursor(text: string): Cursor | undefined {
  try {
    return Cursor.safeParse(JSON.parse(Buffer.from(text, 'base64url').toString())).data;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

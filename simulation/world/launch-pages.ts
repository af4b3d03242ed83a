import * as z from 'zod';
import { type LaunchRecord, LaunchStatus } from '../../functions/domain/launch-record.ts';
import type { Launches, LaunchPage, UnreadableLaunch } from '../../functions/ports/launches.ts';

const Cursor = z.strictObject({ status: LaunchStatus, requestedAtEpochMs: z.int(), launchId: z.string() });
type Cursor = z.infer<typeof Cursor>;

/** The launches of a table whose records cannot be read. */
export type Damaged = ReadonlySet<string>;

/**
 * Lists one page of records as the table's index does: by status in the order that is asked for, newest first within
 * each. An unreadable record does not count towards the limit.
 *
 * @returns undefined for a cursor that is none of ours
 */
export function pageOf(
  records: readonly LaunchRecord[],
  { statuses, limit, cursor }: Parameters<Launches['list']>[0],
  damaged: Damaged,
): LaunchPage | undefined {
  const after = cursor === undefined ? undefined : parseCursor(cursor);
  if (cursor !== undefined && after === undefined) return undefined;
  const compare = byStatusThenNewest(statuses);
  const rest = records
    .filter(({ status }) => statuses.includes(status))
    .filter((record) => after === undefined || compare(record, after) > 0)
    .toSorted(compare);
  const readable = rest.filter(({ launchId }) => !damaged.has(launchId));
  const last = readable.length > limit ? readable[limit - 1] : undefined;
  if (last === undefined) return splitByDamage(rest, damaged);
  return { ...splitByDamage(rest.slice(0, rest.indexOf(last) + 1), damaged), cursor: cursorOf(last) };
}

/** Tells the records that can be read from those that cannot. */
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

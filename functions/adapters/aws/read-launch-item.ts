import { type $ZodIssue, toDotPath } from 'zod/v4/core';
import { LaunchRecord } from '../../domain/launch-record.ts';
import type { UnreadableLaunch } from '../../ports/launches.ts';
import * as z from '../../zod.ts';
import type { Item } from './dynamo-table.ts';

/** A checked item of the launches table: a launch's record, or its flaws. */
export type ReadItem = { record: LaunchRecord } | { unreadable: UnreadableLaunch };

/** The table's key, which every item has. */
const Key = z.object({ launchId: z.string() });

/** Checks an item without throwing, so that a damaged one does not hide others. */
export function readLaunchItem(item: Item): ReadItem {
  const { data, error } = LaunchRecord.safeParse(item);
  if (data !== undefined) return { record: data };
  return { unreadable: { launchId: Key.parse(item).launchId, why: error.issues.map(wordsOf).join('; ') } };
}

function wordsOf({ path, message }: $ZodIssue): string {
  return `${toDotPath(path)}: ${message}`;
}

/** The valid records among the items. */
export function recordsOf(read: readonly ReadItem[]): LaunchRecord[] {
  return read.flatMap((each) => ('record' in each ? [each.record] : []));
}

/** The invalid items. */
export function unreadableOf(read: readonly ReadItem[]): UnreadableLaunch[] {
  return read.flatMap((each) => ('unreadable' in each ? [each.unreadable] : []));
}

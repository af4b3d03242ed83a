import { type $ZodIssue, toDotPath } from 'zod/v4/core';
import { EpochMs } from '../../core/epoch-ms.ts';
import { LaunchRecord } from '../../core/launch/launch-record.ts';
import { expiryOf } from '../../core/retention.ts';
import * as z from '../../core/zod.ts';
import type { UnreadableLaunch } from '../../ports/launches.ts';
import type { StoredRecord } from '../../ports/record-store.ts';
import type { Item } from './dynamo-table.ts';

/** A checked item of the launches table: a launch's record, or its flaws. */
export type ReadItem = { record: LaunchRecord } | { unreadable: UnreadableLaunch };

/** The table's key, which every item has. */
const Key = z.object({ launchId: z.string() });

/** Checks an item without throwing, so that a damaged one does not hide others. */
export function readLaunchItem(item: Item): ReadItem {
  const { record, damage } = readLaunch(item);
  return damage === undefined ? { record } : { unreadable: { launchId: record.launchId, why: damage.why } };
}

/**
 * Reads an item as far as it can be read. In a damaged one, an optional attribute that does not parse is absent, and a
 * required one has a value with which the launch can be ended.
 */
export function readLaunch(item: Item): Omit<StoredRecord<LaunchRecord>, 'revision'> {
  const { data, error } = LaunchRecord.safeParse(item);
  if (data !== undefined) return { record: data };
  const attributes = Object.entries(LaunchRecord.shape).flatMap(([name, schema]) =>
    z.safeParse(schema, item[name]).success ? [] : [name],
  );
  const whole = Object.fromEntries(Object.entries(item).filter(([name]) => !attributes.includes(name)));
  const requestedAtEpochMs = EpochMs.safeParse(whole['requestedAtEpochMs']).data ?? 0;
  const required = {
    ...Key.parse(item),
    status: 'launching',
    requestedAtEpochMs,
    // DynamoDB keeps an item whose time ran out more than five years ago, so one without any time stays.
    expiresAtEpochSeconds: expiryOf(requestedAtEpochMs),
  };
  const record = LaunchRecord.parse({ ...required, ...whole });
  return { record, damage: { why: error.issues.map(wordsOf).join('; '), attributes } };
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

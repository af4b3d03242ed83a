import { clockSetBackMs } from '../../core/clock-set-back.ts';
import { type DynamoTable, type Item, updateItem } from './dynamo-table.ts';

interface TimedItem {
  Key: Item;
  /** The attributes to set; one that is undefined is removed. */
  attributes: Item;
  /** The path of the time that tells which write is newer: an attribute, or a field of one. */
  timeAt: readonly [attribute: string, ...fields: string[]];
  /** That time. */
  atEpochMs: number;
  /** When DynamoDB removes the item. */
  expiresAtEpochMs: number;
}

/**
 * Writes an item, unless a newer one is stored. A time of the far future was stored before somebody set the clock back.
 *
 * @returns the written item; undefined when a newer one stays
 * @throws TransientError StoreUnavailable
 */
export async function writeUnlessNewer(table: DynamoTable, item: TimedItem): Promise<Item | undefined> {
  const { Key, timeAt, atEpochMs } = item;
  const attributes = { ...item.attributes, expiresAtEpochSeconds: Math.ceil(item.expiresAtEpochMs / 1000) };
  const given = Object.entries(attributes);
  const set = given.filter(([, value]) => value !== undefined).map(([name]) => `#${name} = :${name}`);
  const removed = given.filter(([, value]) => value === undefined).map(([name]) => `#${name}`);
  const time = timeAt.map((name) => `#${name}`).join('.');
  return updateItem(table, {
    Key,
    UpdateExpression: `SET ${set.join(', ')}${removed.length === 0 ? '' : ` REMOVE ${removed.join(', ')}`}`,
    ConditionExpression: `attribute_not_exists(#${timeAt[0]}) OR ${time} <= :at OR ${time} > :future`,
    ExpressionAttributeNames: Object.fromEntries(
      [...Object.keys(attributes), ...timeAt].map((name) => [`#${name}`, name]),
    ),
    ExpressionAttributeValues: {
      ...Object.fromEntries(given.map(([name, value]) => [`:${name}`, value])),
      ':at': atEpochMs,
      ':future': atEpochMs + clockSetBackMs,
    },
  });
}

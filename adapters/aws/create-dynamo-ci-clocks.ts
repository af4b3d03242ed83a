import * as z from '../../core/zod.ts';
import type { CiClocks } from '../../ports/ci-clocks.ts';
import { type DynamoTable, getItem, type Item, updateItem } from './dynamo-table.ts';

const ClockItem = z.object({ aheadMs: z.int() });

/** Stores in the jobs table how far clocks are off: one item for each CI system, which never expires. */
export function createDynamoCiClocks(table: DynamoTable): CiClocks {
  return {
    get: async (ciSystem) => {
      const item = await getItem(table, keyOf(ciSystem));
      return item === undefined ? undefined : ClockItem.parse(item).aheadMs;
    },
    keep: async (ciSystem, aheadMs) => {
      await updateItem(table, {
        Key: keyOf(ciSystem),
        UpdateExpression: 'SET #aheadMs = :aheadMs',
        ConditionExpression: 'attribute_not_exists(#aheadMs) OR #aheadMs <> :aheadMs',
        ExpressionAttributeNames: { '#aheadMs': 'aheadMs' },
        ExpressionAttributeValues: { ':aheadMs': aheadMs },
      });
    },
  };
}

function keyOf(ciSystem: string): Item {
  return { partition: `${ciSystem}/clock`, item: 'clock' };
}

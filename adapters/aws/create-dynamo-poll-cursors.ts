import { PollCursor } from '../../core/ci/poll-cursor.ts';
import * as z from '../../core/zod.ts';
import type { PollCursors } from '../../ports/poll-cursors.ts';
import { type DynamoTable, getItem, type Item, updateItem } from './dynamo-table.ts';

const CursorItem = z.object({ cursor: PollCursor });

/** Stores in the jobs table how far CI systems have been polled: one item for each, which never expires. */
export function createDynamoPollCursors(table: DynamoTable): PollCursors {
  return {
    get: async (ciSystem) => {
      const item = await getItem(table, keyOf(ciSystem));
      return item === undefined ? undefined : CursorItem.parse(item).cursor;
    },
    keep: async (ciSystem, cursor) => {
      await updateItem(table, {
        Key: keyOf(ciSystem),
        UpdateExpression: 'SET #cursor = :cursor',
        ConditionExpression: 'attribute_not_exists(#cursor) OR #cursor <> :cursor',
        ExpressionAttributeNames: { '#cursor': 'cursor' },
        ExpressionAttributeValues: { ':cursor': cursor },
      });
    },
  };
}

function keyOf(ciSystem: string): Item {
  return { partition: `${ciSystem}/poll`, item: 'poll' };
}

import { PollCursor } from '../../core/ci/poll-cursor.ts';
import * as z from '../../core/zod.ts';
import type { PollCursors } from '../../ports/poll-cursors.ts';
import { type DynamoTable, getItem, type Item, updateItem } from './dynamo-table.ts';

const CursorItem = z.object({ cursor: PollCursor, revision: z.int() });

/** Stores in the jobs table how far CI systems have been polled: one item for each, which never expires. */
export function createDynamoPollCursors(table: DynamoTable): PollCursors {
  return {
    get: async (ciSystem) => {
      const item = await getItem(table, keyOf(ciSystem));
      return item === undefined ? { cursor: { open: [] }, revision: 0 } : CursorItem.parse(item);
    },
    keep: async (ciSystem, cursor, revision) => {
      // A poll at once overlaps the scheduled poll, and sees a job that the scheduled one has not seen:
      //   scheduled   reads 7 ────────────────────────────► 7? 8 is stored: refused, reads again
      //   at once             reads 7 ──► 7? stores 8
      const updated = await updateItem(table, {
        Key: keyOf(ciSystem),
        UpdateExpression: 'SET #cursor = :cursor, #revision = :next',
        ConditionExpression: revision === 0 ? 'attribute_not_exists(#revision)' : '#revision = :revision',
        ExpressionAttributeNames: { '#cursor': 'cursor', '#revision': 'revision' },
        ExpressionAttributeValues: {
          ':cursor': cursor,
          ':next': revision + 1,
          ...(revision === 0 ? {} : { ':revision': revision }),
        },
      });
      return updated && revision + 1;
    },
  };
}

function keyOf(ciSystem: string): Item {
  return { partition: `${ciSystem}/poll`, item: 'poll' };
}

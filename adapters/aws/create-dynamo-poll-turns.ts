import { pollTurn } from '../../core/ci/poll-turn.ts';
import * as z from '../../core/zod.ts';
import type { PollTurns } from '../../ports/poll-turns.ts';
import { type DynamoTable, getItem, updateItem } from './dynamo-table.ts';

const TurnItem = z.object({ beginsAtEpochMs: z.int() });

/** Keeps the turns of polls in the jobs table: one item for each CI system, which never expires. */
export function createDynamoPollTurns(table: DynamoTable): PollTurns {
  async function take(ciSystem: string, nowEpochMs: number): Promise<number | undefined> {
    const Key = { partition: `${ciSystem}/turn`, item: 'turn' };
    const item = await getItem(table, Key);
    const last = item === undefined ? undefined : TurnItem.parse(item).beginsAtEpochMs;
    const turn = pollTurn(last, nowEpochMs);
    if (turn === undefined) return undefined;
    const taken = await updateItem(table, {
      Key,
      UpdateExpression: 'SET #at = :turn',
      ConditionExpression: last === undefined ? 'attribute_not_exists(#at)' : '#at = :last',
      ExpressionAttributeNames: { '#at': 'beginsAtEpochMs' },
      ExpressionAttributeValues: { ':turn': turn, ...(last === undefined ? {} : { ':last': last }) },
    });
    // Another event has taken a turn meanwhile. There is a third one at most: then a poll begins later.
    return taken === undefined ? take(ciSystem, nowEpochMs) : turn;
  }
  return { take };
}

import { slotStart } from '../../core/ci/request-pace.ts';
import { EpochMs } from '../../core/epoch-ms.ts';
import * as z from '../../core/zod.ts';
import type { RequestPace } from '../../ports/request-pace.ts';
import { type DynamoTable, getItem, getItems, type Item, updateItem } from './dynamo-table.ts';

/** How long a slot is of use to people who look at the table, in milliseconds. */
const retentionMs = 3_600_000;

const Paused = z.object({ untilEpochMs: EpochMs });
const Used = z.object({ item: z.string(), used: z.int() });
const Refused = z.object({ refused: z.int() });

/**
 * Counts in the jobs table the points that are used at a CI system: one item for each of its slots, so that a condition on
 * a number is all that callers share. 200 of them at once are 200 writes; those that do not fit are refused. A write that
 * the client repeats after it took effect counts twice: then less is used than may be.
 */
export function createDynamoRequestPace(table: DynamoTable): RequestPace {
  return {
    take: async ({ ciSystem, slot, points, most, yields, waits }) => {
      const Key = keyOf(ciSystem, `slot/${slot}`);
      if (yields !== undefined) {
        const before = await getItem(table, keyOf(ciSystem, `slot/${slot - 1}`));
        if (before?.['refused'] !== undefined) return { refused: 0 };
      }
      const unlessRefused = yields === undefined ? '' : ' AND attribute_not_exists(#refused)';
      const taken = await updateItem(table, {
        Key,
        UpdateExpression: 'SET #expires = :expires ADD #used :points',
        ConditionExpression: `(attribute_not_exists(#used) OR #used <= :most)${unlessRefused}`,
        ExpressionAttributeNames: {
          '#used': 'used',
          '#expires': 'expiresAtEpochSeconds',
          ...(yields === undefined ? {} : { '#refused': 'refused' }),
        },
        ExpressionAttributeValues: {
          ':points': points,
          ':most': most - points,
          ':expires': expiresAt(slotStart(slot)),
        },
      });
      if (taken !== undefined) return undefined;
      if (waits === undefined) return { refused: 0 };
      const counted = await updateItem(table, {
        Key,
        UpdateExpression: 'ADD #refused :one',
        // A slot that has refused is there.
        ConditionExpression: 'attribute_exists(#used)',
        ExpressionAttributeNames: { '#used': 'used', '#refused': 'refused' },
        ExpressionAttributeValues: { ':one': 1 },
      });
      return Refused.parse(counted);
    },
    usedIn: async (ciSystem, slots) => {
      const items = await getItems(
        table,
        slots.map((slot) => keyOf(ciSystem, `slot/${slot}`)),
      );
      return new Map(
        items.map((item) => {
          const { item: name, used } = Used.parse(item);
          return [Number(name.replace('slot/', '')), used];
        }),
      );
    },
    pause: async (ciSystem, untilEpochMs) => {
      await updateItem(table, {
        Key: keyOf(ciSystem, 'pause'),
        UpdateExpression: 'SET #until = :until, #expires = :expires',
        ConditionExpression: 'attribute_not_exists(#until) OR #until < :until',
        ExpressionAttributeNames: { '#until': 'untilEpochMs', '#expires': 'expiresAtEpochSeconds' },
        ExpressionAttributeValues: { ':until': untilEpochMs, ':expires': expiresAt(untilEpochMs) },
      });
    },
    pausedUntil: async (ciSystem) => {
      const item = await getItem(table, keyOf(ciSystem, 'pause'));
      return item === undefined ? 0 : Paused.parse(item).untilEpochMs;
    },
  };
}

function keyOf(ciSystem: string, item: string): Item {
  return { partition: `${ciSystem}/pace`, item };
}

function expiresAt(epochMs: number): number {
  return Math.ceil((epochMs + retentionMs) / 1000);
}

import { RefusedWebhooks, refusedWindowMs } from '../../core/ci/refused-webhooks.ts';
import type { Refusal, RefusedWebhookStore } from '../../ports/refused-webhooks.ts';
import { type ConditionalUpdate, type DynamoTable, getItem, type Item, updateItem } from './dynamo-table.ts';

/** Stores refused webhooks in the jobs table: one item for each CI system, which expires after its window. */
export function createDynamoRefusedWebhooks(table: DynamoTable): RefusedWebhookStore {
  return {
    get: async (ciSystem) => {
      const item = await getItem(table, keyOf(ciSystem));
      return item === undefined ? undefined : RefusedWebhooks.parse(item);
    },
    note: async (refusal) => {
      const isAdded = (await updateItem(table, addTo(refusal))) !== undefined;
      // If another function has begun the next window meanwhile, its refusals stand for this one, too.
      if (!isAdded) await updateItem(table, beginAnew(refusal));
    },
  };
}

const set = '#why = :why, #last = :at, #expires = :expires';

function addTo(refusal: Refusal): ConditionalUpdate {
  return {
    UpdateExpression: `SET ${set}, #first = if_not_exists(#first, :at) ADD #count :count`,
    ConditionExpression: 'attribute_not_exists(#last) OR #last >= :since',
    ...withValues(refusal),
  };
}

function beginAnew(refusal: Refusal): ConditionalUpdate {
  return {
    UpdateExpression: `SET ${set}, #first = :at, #count = :count`,
    ConditionExpression: '#last < :since',
    ...withValues(refusal),
  };
}

function withValues({ ciSystem, count, why, atEpochMs }: Refusal) {
  return {
    Key: keyOf(ciSystem),
    ExpressionAttributeNames: {
      '#why': 'why',
      '#first': 'firstAtEpochMs',
      '#last': 'lastAtEpochMs',
      '#count': 'count',
      '#expires': 'expiresAtEpochSeconds',
    },
    ExpressionAttributeValues: {
      ':why': why,
      ':at': atEpochMs,
      ':count': count,
      ':since': atEpochMs - refusedWindowMs,
      ':expires': Math.ceil((atEpochMs + refusedWindowMs) / 1000),
    },
  };
}

function keyOf(ciSystem: string): Item {
  return { partition: `${ciSystem}/refused`, item: 'webhooks' };
}

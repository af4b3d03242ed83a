import { EpochMs } from '../../core/epoch-ms.ts';
import { LaunchId } from '../../core/launch/names.ts';
import type { SlotLimit } from '../../core/limits/slot-limits.ts';
import { expiryOf } from '../../core/retention.ts';
import * as z from '../../core/zod.ts';
import type { HeldSlot, HeldSlots, Slots } from '../../ports/slots.ts';
import { type DynamoTable, getItem, type Item, updateItem } from './dynamo-table.ts';

const SlotsItem = z.object({
  held: z.record(z.string(), z.object({ launchId: LaunchId, repository: z.string(), takenAtEpochMs: EpochMs })),
});

/** Keeps the slots of limits in the jobs table: one item for each limit, with a map of its slots. */
export function createDynamoSlots(table: DynamoTable): Slots {
  return {
    take: (limit, holder, slot) => take(table, limit, holder, slot),
    free: (key, holder) => free(table, key, holder),
    hold: (key, holder, slot) => hold(table, key, holder, slot),
    get: async (key) => (await read(table, key)) ?? new Map(),
  };
}

function keyOf(key: string): Item {
  return { partition: `slots/${key}`, item: 'slots' };
}

const names = { '#held': 'held', '#expiresAt': 'expiresAtEpochSeconds' };

async function read(table: DynamoTable, key: string): Promise<HeldSlots | undefined> {
  const item = await getItem(table, keyOf(key));
  return item === undefined ? undefined : new Map(Object.entries(SlotsItem.parse(item).held));
}

async function take(table: DynamoTable, limit: SlotLimit, holder: string, slot: HeldSlot): Promise<boolean> {
  const held = await prepared(table, limit.key, slot);
  // A write that is refused costs as much as one that is not.
  if (held.size >= limit.maxAgents && !held.has(holder)) return false;
  // Two webhooks and one slot. The item itself counts, so a list that is out of date takes none:
  //   A   reads 11 of 12 ──► 11 < 12? 12
  //   B   reads 11 of 12 ──────────────► 12 < 12? refused
  // A repeat whose first answer was lost finds its own slot.
  const taken = await updateItem(table, {
    Key: keyOf(limit.key),
    UpdateExpression: 'SET #held.#holder = :slot, #expiresAt = :expiresAt',
    ConditionExpression: 'size(#held) < :max OR attribute_exists(#held.#holder)',
    ExpressionAttributeNames: { ...names, '#holder': holder },
    ExpressionAttributeValues: {
      ':slot': slot,
      ':max': limit.maxAgents,
      ':expiresAt': expiryOf(slot.takenAtEpochMs),
    },
  });
  return taken !== undefined;
}

async function hold(table: DynamoTable, key: string, holder: string, slot: HeldSlot): Promise<void> {
  await prepared(table, key, slot);
  await updateItem(table, {
    Key: keyOf(key),
    UpdateExpression: 'SET #held.#holder = :slot, #expiresAt = :expiresAt',
    ConditionExpression: 'attribute_exists(#held)',
    ExpressionAttributeNames: { ...names, '#holder': holder },
    ExpressionAttributeValues: { ':slot': slot, ':expiresAt': expiryOf(slot.takenAtEpochMs) },
  });
}

/** An update needs a map to put a slot into. The item outlives every agent that holds a slot of it. */
async function prepared(table: DynamoTable, key: string, { takenAtEpochMs }: HeldSlot): Promise<HeldSlots> {
  const held = await read(table, key);
  if (held !== undefined) return held;
  await updateItem(table, {
    Key: keyOf(key),
    UpdateExpression: 'SET #held = :none, #expiresAt = :expiresAt',
    ConditionExpression: 'attribute_not_exists(#held)',
    ExpressionAttributeNames: names,
    ExpressionAttributeValues: { ':none': {}, ':expiresAt': expiryOf(takenAtEpochMs) },
  });
  return (await read(table, key)) ?? new Map();
}

async function free(table: DynamoTable, key: string, holder: string): Promise<void> {
  await updateItem(table, {
    Key: keyOf(key),
    UpdateExpression: 'REMOVE #held.#holder',
    ConditionExpression: 'attribute_exists(#held.#holder)',
    ExpressionAttributeNames: { '#held': 'held', '#holder': holder },
  });
}

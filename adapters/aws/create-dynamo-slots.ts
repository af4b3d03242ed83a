import { EpochMs } from '../../core/epoch-ms.ts';
import { LaunchId } from '../../core/launch/names.ts';
import type { SlotLimit } from '../../core/limits/slot-limits.ts';
import { present } from '../../core/present.ts';
import { expiryOf } from '../../core/retention.ts';
import * as z from '../../core/zod.ts';
import type { HeldSlot, HeldSlots, Slots } from '../../ports/slots.ts';
import { type Trace, untraced } from '../../ports/trace.ts';
import { type ConditionalUpdate, type DynamoTable, getItem, type Item, updateItem } from './dynamo-table.ts';
import { revisionOf, withNextRevision } from './next-revision.ts';

const SlotsItem = z.object({
  held: z.record(z.string(), z.object({ launchId: LaunchId, repository: z.string(), takenAtEpochMs: EpochMs })),
});

/** Keeps the slots of limits in the jobs table: one item for each limit, with a map of its slots. */
export function createDynamoSlots(dynamoTable: DynamoTable, trace: Trace = untraced): Slots {
  const table: SlotsTable = { ...dynamoTable, trace };
  return {
    take: (limit, holder, slot) => take(table, limit, holder, slot),
    free: (key, holder) => free(table, key, holder),
    hold: (key, holder, slot) => hold(table, key, holder, slot),
    get: async (key) => (await read(table, key)) ?? new Map(),
  };
}

/** The table, and the trace of its limits. */
interface SlotsTable extends DynamoTable {
  trace: Trace;
}

function keyOf(key: string): Item {
  return { partition: `slots/${key}`, item: 'slots' };
}

const names = { '#held': 'held', '#expiresAt': 'expiresAtEpochSeconds' };

async function read(table: DynamoTable, key: string): Promise<HeldSlots | undefined> {
  const item = await getItem(table, keyOf(key));
  return item === undefined ? undefined : new Map(Object.entries(SlotsItem.parse(item).held));
}

async function take(table: SlotsTable, limit: SlotLimit, holder: string, slot: HeldSlot): Promise<boolean> {
  const held = await prepared(table, limit.key, slot);
  // A write that is refused costs as much as one that is not.
  if (held.size >= limit.maxAgents && !held.has(holder)) return false;
  // Two webhooks and one slot. The item itself counts, so a list that is out of date takes none:
  //   A   reads 11 of 12 ──► 11 < 12? 12
  //   B   reads 11 of 12 ──────────────► 12 < 12? refused
  // A repeat whose first answer was lost finds its own slot.
  return updateSlot(
    table,
    { command: 'take', limit, holder },
    {
      Key: keyOf(limit.key),
      UpdateExpression: 'SET #held.#holder = :slot, #expiresAt = :expiresAt',
      ConditionExpression: 'size(#held) < :max OR attribute_exists(#held.#holder)',
      ExpressionAttributeNames: { ...names, '#holder': holder },
      ExpressionAttributeValues: {
        ':slot': slot,
        ':max': limit.maxAgents,
        ':expiresAt': expiryOf(slot.takenAtEpochMs),
      },
    },
  );
}

async function hold(table: SlotsTable, key: string, holder: string, slot: HeldSlot): Promise<void> {
  await prepared(table, key, slot);
  await updateSlot(
    table,
    { command: 'hold', limit: { key }, holder },
    {
      Key: keyOf(key),
      UpdateExpression: 'SET #held.#holder = :slot, #expiresAt = :expiresAt',
      ConditionExpression: 'attribute_exists(#held)',
      ExpressionAttributeNames: { ...names, '#holder': holder },
      ExpressionAttributeValues: { ':slot': slot, ':expiresAt': expiryOf(slot.takenAtEpochMs) },
    },
  );
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

async function free(table: SlotsTable, key: string, holder: string): Promise<void> {
  await updateSlot(
    table,
    { command: 'free', limit: { key }, holder },
    {
      Key: keyOf(key),
      UpdateExpression: 'REMOVE #held.#holder',
      ConditionExpression: 'attribute_exists(#held.#holder)',
      ExpressionAttributeNames: { '#held': 'held', '#holder': holder },
    },
  );
}

/** A change of one holder's slot. */
interface SlotChange {
  command: keyof Slots;
  limit: Pick<SlotLimit, 'key'> & Partial<SlotLimit>;
  holder: string;
}

/** Changes a slot if the condition holds. @returns whether it did */
async function updateSlot(
  table: SlotsTable,
  { command, limit, holder }: SlotChange,
  update: ConditionalUpdate,
): Promise<boolean> {
  const item = await updateItem(table, withNextRevision(update));
  if (item === undefined) return false;
  const held = Object.keys(SlotsItem.parse(item).held).length;
  const fields = present({ holder, held, maxAgents: limit.maxAgents });
  table.trace({ kind: 'limit', key: limit.key, revision: revisionOf(item), command, fields });
  return true;
}

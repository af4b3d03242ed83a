import { setTimeout as sleep } from 'node:timers/promises';
import { EpochMs } from '../../core/epoch-ms.ts';
import { TransientError } from '../../core/errors/errors.ts';
import { LaunchId } from '../../core/launch/names.ts';
import type { SlotLimit } from '../../core/limits/slot-limits.ts';
import { present } from '../../core/present.ts';
import * as z from '../../core/zod.ts';
import type { HeldSlot, HeldSlots, Slots } from '../../ports/slots.ts';
import { type Trace, untraced } from '../../ports/trace.ts';
import {
  type DynamoTable,
  getItem,
  type Item,
  putItemIf,
  putNewItem,
  queryPartition,
  type WriteOfTwo,
  writeTwo,
} from './dynamo-table.ts';

const CountItem = z.object({ held: z.int(), revision: z.int() });
type Count = z.infer<typeof CountItem>;

const HolderItem = z.object({ item: z.string(), launchId: LaunchId, repository: z.string(), takenAtEpochMs: EpochMs });

/** The count of a limit that nobody has ever held. */
const noCount: Count = { held: 0, revision: 0 };

const countItem = 'count';
const holderPrefix = 'holder/';

/** How often a change begins again because another one came between: each time one of the others has succeeded. */
const mostAttempts = 60;

/** How long a transaction may be half visible, in milliseconds. */
const settleMs = 200;

/** The longest pause between two attempts, in milliseconds. */
const longestPauseMs = 100;

/**
 * Keeps the slots of limits in the jobs table: for each limit an item that counts them, and one for each holder. One
 * transaction writes both, so that a write is as small for a limit of 1,000 agents as for one of ten. No item expires: an
 * item that is gone would free a slot, or forget all of them.
 */
export function createDynamoSlots(dynamoTable: DynamoTable, trace: Trace = untraced): Slots {
  const table: SlotsTable = { ...dynamoTable, trace };
  return {
    take: (limit, holder, slot) => change(table, { command: 'take', limit, holder, slot }),
    free: async (key, holder) => {
      await change(table, { command: 'free', limit: { key }, holder });
    },
    hold: async (key, holder, slot) => {
      await change(table, { command: 'hold', limit: { key }, holder, slot });
    },
    get: (key) => read(table, key),
  };
}

/** Reads the slots of limits, and writes nothing, for a function that may only query the table. */
export function createDynamoSlotReader(table: DynamoTable): Pick<Slots, 'get'> {
  return { get: async (key) => (await readAll(table, key)).held };
}

/** The table, and the trace of its limits. */
interface SlotsTable extends DynamoTable {
  trace: Trace;
}

function keyOf(limitKey: string, item: string): Item {
  return { partition: partitionOf(limitKey), item };
}

function partitionOf(limitKey: string): string {
  return `slots/${limitKey}`;
}

/** A limit's count, and its holders. */
interface Counted {
  count: Count;
  held: Map<string, HeldSlot>;
}

/**
 * Reads the holders of a limit. A table that was restored may have another count than holders: mends the count, if two
 * readings of the same revision say so. One reading may see half of a transaction.
 */
async function read(table: DynamoTable, key: string): Promise<HeldSlots> {
  const { count, held } = await readAll(table, key);
  if (count.held === held.size) return held;
  await sleep(settleMs);
  const again = await readAll(table, key);
  if (again.count.revision === count.revision && again.count.held !== again.held.size) {
    const mended = { held: again.held.size, revision: count.revision + 1 };
    await writeCount(table, key, again.count, mended);
  }
  return again.held;
}

async function readAll(table: DynamoTable, key: string): Promise<Counted> {
  let count = noCount;
  const held = new Map<string, HeldSlot>();
  for await (const item of queryPartition(table, partitionOf(key))) {
    if (item['item'] === countItem) {
      count = CountItem.parse(item);
      continue;
    }
    const { item: name, ...slot } = HolderItem.parse(item);
    held.set(name.slice(holderPrefix.length), slot);
  }
  return { count, held };
}

/** Writes a limit's count alone, if its revision is still the same. */
async function writeCount(table: DynamoTable, key: string, before: Count, next: Count): Promise<void> {
  const item = { ...keyOf(key, countItem), ...next };
  if (before.revision === 0) await putNewItem(table, 'partition', item);
  else await putItemIf(table, item, { revision: before.revision });
}

type SlotChange = { limit: Pick<SlotLimit, 'key'> & Partial<SlotLimit>; holder: string } & (
  | { command: 'take' | 'hold'; slot: HeldSlot }
  | { command: 'free'; slot?: never }
);

/**
 * Changes a holder's slot and the count together. Two webhooks and one slot:
 *
 *     A   reads 11 of 12 ──► writes 12, if the count's revision is still the same
 *     B   reads 11 of 12 ──────────────► refused ──► reads 12 of 12
 *
 * A repeat whose first answer was lost finds its own slot.
 *
 * @returns whether the holder has a slot afterwards, or, when it gives one back, whether it had one
 * @throws TransientError StoreUnavailable, also when others change the limit all the time
 */
async function change(table: SlotsTable, wanted: SlotChange): Promise<boolean> {
  const { command, limit, holder } = wanted;
  for (let attempt = 0; attempt < mostAttempts; attempt += 1) {
    if (attempt > 0) await sleep(Math.random() * Math.min(longestPauseMs, 5 * 2 ** attempt));
    const count = await readCount(table, limit.key);
    if (command === 'take' && limit.maxAgents !== undefined && count.held >= limit.maxAgents) {
      // A write that is refused costs as much as one that is not.
      return (await getItem(table, keyOf(limit.key, holderPrefix + holder))) !== undefined;
    }
    const next = { held: Math.max(0, count.held + (command === 'free' ? -1 : 1)), revision: count.revision + 1 };
    const outcome = await writeTwo(table, slotWrite(wanted), countWrite(limit.key, count, next));
    if (outcome === 'firstRefused') return command !== 'free';
    if (outcome !== 'written') continue;
    const fields = present({ holder, held: next.held, maxAgents: limit.maxAgents });
    table.trace({ kind: 'limit', key: limit.key, revision: next.revision, command, fields });
    return true;
  }
  throw new TransientError('StoreUnavailable', `DynamoDB: the limit ${limit.key} changes all the time`);
}

async function readCount(table: DynamoTable, key: string): Promise<Count> {
  const item = await getItem(table, keyOf(key, countItem));
  return item === undefined ? noCount : CountItem.parse(item);
}

function slotWrite({ limit, holder, slot }: SlotChange): WriteOfTwo {
  const Key = keyOf(limit.key, holderPrefix + holder);
  if (slot === undefined) return { delete: Key, ifThere: true };
  return { put: { ...Key, ...slot }, ifThere: false };
}

function countWrite(key: string, before: Count, next: Count): WriteOfTwo {
  const put = { ...keyOf(key, countItem), ...next };
  return before.revision === 0 ? { put, ifThere: false } : { put, ifRevision: before.revision };
}

import { DeleteCommand } from '@aws-sdk/lib-dynamodb';
import * as fc from 'fast-check';
import { createDynamoSlotReader, createDynamoSlots } from '../../adapters/aws/create-dynamo-slots.ts';
import type { DynamoTable } from '../../adapters/aws/dynamo-table.ts';
import { jobsTable } from '../../adapters/aws/table-definitions.ts';
import type { SlotLimit } from '../../core/limits/slot-limits.ts';
import { sqliteSlots } from '../../local/store/sqlite-slots.ts';
import type { HeldSlot, Slots } from '../../ports/slots.ts';
import { startDatabases } from './databases.ts';

const { createTable, inEach } = await startDatabases();
const twenty = Array.from({ length: 20 }, (_, index) => index);
const limit: SlotLimit = { key: 'repository/github/acme/app', of: 'acme/app', maxAgents: 3 };
const slotOf = (index: number): HeldSlot => ({
  launchId: `github-7-${index}-1`,
  repository: 'acme/app',
  takenAtEpochMs: 1_767_225_600_000 + index,
});
const holderOf = (index: number) => `github-7-${index}-1/attempt.${index}`;

describe.each(inEach(sqliteSlots, createDynamoSlots))('slots (%s)', (_name, makeSlots) => {
  let slots: Slots;
  beforeEach(async () => {
    slots = await makeSlots();
  });

  test('when twenty callers want a slot at once, each free slot goes to one of them', async () => {
    const taken = await Promise.all(twenty.map((index) => slots.take(limit, holderOf(index), slotOf(index))));

    const winners = twenty.filter((index) => taken[index]);
    expect(winners).toHaveLength(3);
    expect(await slots.get(limit.key)).toEqual(new Map(winners.map((index) => [holderOf(index), slotOf(index)])));
  });

  test('a repeated call of a holder takes no second slot, and succeeds even when the table is full', async () => {
    for (const index of [1, 2, 3]) await slots.take(limit, holderOf(index), slotOf(index));

    const again = await slots.take(limit, holderOf(2), slotOf(2));
    const other = await slots.take(limit, holderOf(4), slotOf(4));

    expect([again, other]).toEqual([true, false]);
    expect((await slots.get(limit.key)).size).toBe(3);
  });

  test('a slot is freed once, however often a caller frees it, and no other holder loses one', async () => {
    for (const index of [1, 2, 3]) await slots.take(limit, holderOf(index), slotOf(index));

    await Promise.all(twenty.map(() => slots.free(limit.key, holderOf(2))));
    await slots.free(limit.key, holderOf(9));
    await slots.free('profile/unknown', holderOf(1));

    expect([...(await slots.get(limit.key)).keys()].toSorted()).toEqual([holderOf(1), holderOf(3)]);
    expect(await slots.take(limit, holderOf(4), slotOf(4))).toBe(true);
    expect(await slots.take(limit, holderOf(5), slotOf(5))).toBe(false);
  });

  test('each limit is counted by itself', async () => {
    const other = { ...limit, key: 'profile/linux', maxAgents: 1 };

    expect(await slots.take(other, holderOf(1), slotOf(1))).toBe(true);
    expect(await slots.take(other, holderOf(2), slotOf(2))).toBe(false);
    expect(await slots.take(limit, holderOf(2), slotOf(2))).toBe(true);
    expect(await slots.get('profile/other')).toEqual(new Map());
  });

  test('a slot is restored for an existing agent, whatever the limit', async () => {
    const one = { ...limit, maxAgents: 1 };
    await slots.take(one, holderOf(1), slotOf(1));

    await slots.hold(one.key, holderOf(2), slotOf(2));
    await slots.hold('profile/new', holderOf(3), slotOf(3));
    await slots.free(one.key, holderOf(1));

    expect([...(await slots.get(one.key)).keys()]).toEqual([holderOf(2)]);
    expect(await slots.take(one, holderOf(4), slotOf(4))).toBe(false);
    expect(await slots.get('profile/new')).toEqual(new Map([[holderOf(3), slotOf(3)]]));
  });

  test('whatever the order of takes and frees, the table lists the holders', async () => {
    const action = fc.record({ free: fc.boolean(), index: fc.nat({ max: 5 }) });
    await fc.assert(
      fc.asyncProperty(fc.array(action, { maxLength: 20 }), async (actions) => {
        slots = await makeSlots();
        const held = new Set<number>();
        for (const { free, index } of actions) {
          const isTaken = free
            ? await slots.free(limit.key, holderOf(index))
            : await slots.take(limit, holderOf(index), slotOf(index));
          if (free) held.delete(index);
          else if (held.has(index) || held.size < limit.maxAgents) held.add(index);
          if (!free) expect(isTaken).toBe(held.has(index));
        }
        const found = [...(await slots.get(limit.key)).keys()];
        expect(new Set(found)).toEqual(new Set([...held].map(holderOf)));
      }),
      { numRuns: 15 },
    );
  }, 60_000);
});

const pair = { key: 'profile/linux', of: 'profile linux', maxAgents: 2 };

/** A table whose limit counts two holders, of whom only `two` is there, as after the table was restored. */
async function tableWithWrongCount(): Promise<DynamoTable> {
  const table = await createTable(jobsTable);
  const slots = createDynamoSlots(table);
  for (const holder of ['one', 'two']) await slots.take(pair, holder, slotOf(1));
  const Key = { partition: 'slots/profile/linux', item: 'holder/one' };
  await table.client.send(new DeleteCommand({ TableName: table.tableName, Key }));
  return table;
}

test('a function that may only query the table reads the holders, and leaves a wrong count', async () => {
  const table = await tableWithWrongCount();

  const held = await createDynamoSlotReader(table).get(pair.key);

  expect([...held.keys()]).toEqual(['two']);
  expect(await createDynamoSlots(table).take(pair, 'three', slotOf(3))).toBe(false);
});

test('a count that is not that of the holders, as in a table that was restored, is mended by the next reading', async () => {
  const slots = createDynamoSlots(await tableWithWrongCount());

  const before = await slots.take(pair, 'three', slotOf(3));
  const held = await slots.get(pair.key);

  expect(before).toBe(false);
  expect([...held.keys()]).toEqual(['two']);
  expect(await slots.take(pair, 'three', slotOf(3))).toBe(true);
  expect(await slots.take(pair, 'four', slotOf(4))).toBe(false);
});

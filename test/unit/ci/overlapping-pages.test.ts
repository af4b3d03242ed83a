import * as fc from 'fast-check';
import { extentOf, readOverlapping } from '../../../ci/overlapping-pages.ts';

/** A server's list, which changes after each request. */
function listOf(ids: readonly number[], changes: readonly ((ids: number[]) => number[])[] = [], mostItems = 50) {
  let now = [...ids];
  let asked = 0;
  return {
    asked: () => asked,
    read: async (limit: number, page: number) => {
      const size = Math.min(limit, mostItems);
      const items = now.slice((page - 1) * size, page * size).map((id) => ({ id }));
      const total = now.length;
      now = changes[asked]?.(now) ?? now;
      asked += 1;
      return { items, total };
    },
  };
}

const to = (count: number) => Array.from({ length: count }, (_, index) => index + 1);
const idsOf = ({ items }: { items: { id: number }[] }) =>
  items.map(({ id }) => id).toSorted((one, other) => one - other);

describe('readOverlapping', () => {
  test.each([0, 1, 49, 50, 51, 90, 91, 500])('reads a list of %i items that does not change', async (count) => {
    const list = listOf(to(count));

    const read = await readOverlapping(50, list.read);

    expect(idsOf(read)).toEqual(to(count));
    expect(read.isWhole).toBe(true);
    expect(list.asked()).toBeLessThanOrEqual(1 + Math.ceil(count / 40));
  });

  test.each([1, 2, 3, 7, 20])('reads a list from a server whose pages have at most %i items', async (mostItems) => {
    expect(idsOf(await readOverlapping(50, listOf(to(101), [], mostItems).read))).toEqual(to(101));
  });

  test('finds the item that another one pulls over the border of two pages', async () => {
    const list = listOf(to(60), [(ids) => ids.slice(1)]);

    expect(idsOf(await readOverlapping(50, list.read))).toEqual(to(60));
    expect(list.asked()).toBe(2);
  });

  test('begins again when so many items have gone that there is a gap', async () => {
    const list = listOf(to(80), [(ids) => ids.slice(20)]);

    const read = await readOverlapping(50, list.read);

    expect(read).toMatchObject({ isWhole: true });
    expect(idsOf(read)).toEqual(to(80));
  });

  test.each([3, 30, 50, 75])('ends, and is not whole, for a list of %i items that counts one more', async (count) => {
    const list = listOf(to(count));
    const read = async (limit: number, page: number) => {
      const { items, total } = await list.read(limit, page);
      return { items, total: total + 1 };
    };

    expect(idsOf(await readOverlapping(50, read))).toEqual(to(count));
    expect(list.asked()).toBeLessThanOrEqual(12);
  });

  test('says that it may have missed something when the list changes faster than it reads', async () => {
    const faster = Array.from({ length: 20 }, () => (ids: number[]) => ids.slice(20));

    expect(await readOverlapping(50, listOf(to(600), faster).read)).toMatchObject({ isWhole: false });
  });

  test('misses no item that stays, whatever comes and goes at any place, if it says so', async () => {
    const change = fc.record({
      gone: fc.uniqueArray(fc.nat({ max: 119 }), { maxLength: 12 }),
      come: fc.uniqueArray(fc.integer({ min: 200, max: 400 }), { maxLength: 12 }),
      isFirst: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(change, { maxLength: 8 }), async (changes) => {
        const stay = to(120).filter((id) => changes.every(({ gone }) => !gone.includes(id)));
        const steps = changes.map(({ gone, come, isFirst }) => (ids: number[]) => {
          const kept = ids.filter((id) => !gone.includes(id));
          const added = come.filter((id) => !kept.includes(id));
          // A list has its order by id, or its reverse.
          return isFirst ? [...kept, ...added].toSorted((one, other) => one - other) : kept;
        });

        const read = await readOverlapping(50, listOf(to(120), steps).read);

        if (read.isWhole) expect(idsOf(read)).toEqual(expect.arrayContaining(stay));
      }),
      { numRuns: 300 },
    );
  });
});

test.each([
  { what: 'the only page', items: 3, total: 3, page: 1, extent: { isLast: true, pages: 1 } },
  { what: 'an empty list', items: 0, total: 0, page: 1, extent: { isLast: true, pages: 1 } },
  { what: 'a full first page', items: 100, total: 205, page: 1, extent: { isLast: false, pages: 3 } },
  { what: 'a shorter page than asked for', items: 20, total: 50, page: 2, extent: { isLast: false, pages: 3 } },
  { what: 'the page after the last item', items: 0, total: 50, page: 4, extent: { isLast: true, pages: 50 } },
])('$what says where its list ends', ({ items, total, page, extent }) => {
  expect(extentOf({ items: Array.from({ length: items }), total }, page)).toEqual(extent);
});

/** One page of a list, and the length of the whole list at that moment. */
export interface ListPage<Item> {
  items: Item[];
  total: number;
}

/** A list that was read page by page. */
export interface ReadList<Item> {
  items: Item[];
  /** Whether it surely has every item that was in the list all the time. */
  isWhole: boolean;
}

/**
 * Says where a list ends, of which one page was read.
 *
 * @param page counts from 1
 * @returns `isLast` for an empty page: a server may give shorter pages than davit asks for, so a short one proves nothing
 */
export function extentOf({ items, total }: ListPage<unknown>, page: number): { isLast: boolean; pages: number } {
  const { length } = items;
  return {
    isLast: length === 0 || (page === 1 && length >= total),
    pages: Math.max(1, Math.ceil(total / Math.max(1, length))),
  };
}

/** The least overlap of two pages, in items. That many earlier items may disappear between the two requests. */
const overlapItems = 5;

/** How often davit reads a list from its beginning, because more items than that disappeared between two requests. */
const mostReadings = 3;

/**
 * Reads a list whose items come and go between two requests, and whose order is otherwise always the same. When an item of
 * page 1 goes, the first item of page 2 becomes the last one of page 1, and nobody sees it:
 *
 *     page 1   1 2 3 4                   the next page begins before the end of the last one:
 *     1 goes     2 3 4 5 | 6 7 8 9       page 1   1 2 3 4
 *     page 2               6 7 8 9       next         4 5 6 7      4 is known: 5 was not missed
 *
 * So pages overlap. A page whose first item is unknown follows a gap, and the list is read again.
 *
 * @param pageSize the largest page that the server gives; a smaller page is valid, too
 * @param read reads a page; the first one has the number 1, and begins at the item (page − 1) × limit
 * @returns the items of all readings, each once, as the last reading has it
 */
export async function readOverlapping<Item extends { id: number }>(
  pageSize: number,
  read: (limit: number, page: number) => Promise<ListPage<Item>>,
): Promise<ReadList<Item>> {
  const found = new Map<number, Item>();
  for (let reading = 1; reading <= mostReadings; reading += 1) {
    if (await readOnce(pageSize, read, found)) return { items: [...found.values()], isWhole: true };
  }
  return { items: [...found.values()], isWhole: false };
}

/** @returns whether no item that stayed was missed */
async function readOnce<Item extends { id: number }>(
  pageSize: number,
  read: (limit: number, page: number) => Promise<ListPage<Item>>,
  found: Map<number, Item>,
): Promise<boolean> {
  const known = new Set<number>();
  let most = pageSize;
  let next: NextPage = { limit: pageSize, page: 1, overlaps: false };
  for (;;) {
    const { limit, page, overlaps } = next;
    const { items, total } = await read(limit, page);
    const [first] = items;
    if (overlaps && (first === undefined || !known.has(first.id))) return false;
    const knownBefore = known.size;
    for (const item of items) {
      known.add(item.id);
      found.set(item.id, item);
    }
    if (page === 1) most = Math.min(most, items.length);
    const covered = (page - 1) * limit + items.length;
    if (items.length === 0 || covered >= total) return true;
    // The server counts more items than it shows, so no later page has any.
    if (known.size === knownBefore) return false;
    next = pageAfter(covered, most);
  }
}

interface NextPage {
  limit: number;
  page: number;
  overlaps: boolean;
}

/** Finds the page that overlaps with the items before it, and has the most items after them. Tiny pages cannot overlap. */
function pageAfter(covered: number, most: number): NextPage {
  let best: NextPage = { limit: most, page: Math.floor(covered / most) + 1, overlaps: false };
  let bestEnd = covered;
  for (let limit = 1; limit <= most; limit += 1) {
    const pagesBefore = Math.floor((covered - overlapItems) / limit);
    const end = (pagesBefore + 1) * limit;
    if (pagesBefore < 1 || end <= bestEnd) continue;
    best = { limit, page: pagesBefore + 1, overlaps: true };
    bestEnd = end;
  }
  return best;
}

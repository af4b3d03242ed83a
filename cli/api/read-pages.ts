/** The query fields of a page. */
export interface PageQuery {
  /** From 1 to 100. */
  limit: number;
  cursor?: string;
}

/** A page of a list, and where the next one begins. */
export interface Page<Item> {
  items: readonly Item[];
  cursor: string | undefined;
}

/**
 * Reads pages until there are enough items or no more: a page of a filtered list may be short or empty.
 *
 * @param limit the largest number of items
 */
export async function readPages<Item>(limit: number, read: (page: PageQuery) => Promise<Page<Item>>): Promise<Item[]> {
  const found: Item[] = [];
  let cursor: string | undefined;
  do {
    const page = await read({ limit: Math.min(limit, 100), ...(cursor === undefined ? {} : { cursor }) });
    found.push(...page.items);
    cursor = page.cursor;
  } while (cursor !== undefined && found.length < limit);
  return found.slice(0, limit);
}

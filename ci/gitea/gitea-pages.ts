import type { CiRequest } from '../ci-http.ts';

/** Gitea's default for its `MAX_RESPONSE_ITEMS`; it reduces a larger limit to that, so any page may be shorter. */
export const giteaPageSize = 50;

/**
 * Follows Gitea's pages to the end: a page that is shorter than asked for is not the last one.
 *
 * @param path of the list, with its query if it has one
 */
export async function askAllPages<Item>(
  path: string,
  read: (request: CiRequest) => Promise<{ items: Item[]; total: number }>,
): Promise<Item[]> {
  const found: Item[] = [];
  const separator = path.includes('?') ? '&' : '?';
  for (let page = 1; ; page += 1) {
    const asked = `${path}${separator}limit=${giteaPageSize}&page=${page}`;
    const { items, total } = await read({ method: 'GET', path: asked });
    found.push(...items);
    if (items.length === 0 || found.length >= total) return found;
  }
}

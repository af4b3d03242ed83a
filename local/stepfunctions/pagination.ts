import { AwsServiceError } from '../aws-service-error.ts';

/** What a caller asks for; 0 results means the default of 100, as on AWS. */
export interface Paging {
  maxResults: number;
  nextToken?: string | undefined;
}

/** How a list is ordered, and by what number a page finds its place again. */
export interface PageOrder<Item> {
  keyOf: (item: Item) => number;
  descending: boolean;
}

/**
 * Cuts one page out of an ordered list. The token says after which item the page starts, not at which index: items
 * that were added meanwhile shift nothing.
 *
 * @throws AwsServiceError InvalidToken when the token is not one of these.
 */
export function pageOf<Item>(
  items: readonly Item[],
  { maxResults, nextToken }: Paging,
  { keyOf, descending }: PageOrder<Item>,
): { items: Item[]; nextToken: string | undefined } {
  const after = nextToken === undefined ? undefined : decodeToken(nextToken);
  const rest = items.filter((item) => after === undefined || (descending ? keyOf(item) < after : keyOf(item) > after));
  const page = rest.slice(0, maxResults || 100);
  const last = page.at(-1);
  const more = rest.length > page.length && last !== undefined;
  return { items: page, nextToken: more ? encodeToken(keyOf(last)) : undefined };
}

function encodeToken(key: number): string {
  return Buffer.from(`after:${key}`).toString('base64url');
}

function decodeToken(token: string): number {
  const [, key] = /^after:(\d+)$/.exec(Buffer.from(token, 'base64url').toString()) ?? [];
  if (key === undefined) throw new AwsServiceError('InvalidToken', `Invalid Token: '${token}'`);
  return Number(key);
}

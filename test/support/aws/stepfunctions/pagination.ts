import { AwsServiceError } from '../aws-service-error.ts';

/** The page that a caller requests. 0 results means the default of 100, as on AWS. */
export interface Paging {
  maxResults: number;
  nextToken?: string | undefined;
}

/** The order of a list, and the number by which a page finds its place. */
export interface PageOrder<Item> {
  keyOf: (item: Item) => number;
  descending: boolean;
}

/**
 * Returns one page of an ordered list. The token names the item before the page, not an index, so new items do not
 * shift the page.
 *
 * @throws AwsServiceError InvalidToken for a malformed token.
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

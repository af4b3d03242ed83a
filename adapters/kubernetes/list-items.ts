/** An answer to a list that is no list. */
export class NoListError extends Error {
  override readonly name = 'NoListError';
}

/** A list, as the client gives it. */
export interface List<Item> {
  metadata?: { _continue?: string; resourceVersion?: string };
  items?: Item[] | null;
}

/**
 * Returns the objects of a list. Go writes those of an empty list as null, too.
 *
 * @throws NoListError when the answer is something else: it must not count as an empty list
 */
export function itemsOf<Item>(list: List<Item> | null): Item[] {
  if (list?.items === undefined) throw new NoListError('the answer is no list');
  return list.items ?? [];
}

/**
 * Returns the version of the collection when the list was made.
 *
 * @throws NoListError when the answer says none, as no API server's list does
 */
export function versionOf<Item>(list: List<Item> | null): string {
  const version = list?.metadata?.resourceVersion;
  if (version === undefined) throw new NoListError('the list has no resourceVersion');
  return version;
}

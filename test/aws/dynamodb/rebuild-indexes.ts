import { promisify } from 'node:util';
import { getIndexActions, type Item, type Store, type SubDb } from 'dynalite/db/index.js';

/**
 * Rebuilds a table's indexes from its items. dynalite writes an entry of an index before the item, so a process that dies
 * in between leaves an entry without its write. On AWS, an index always becomes consistent with its table.
 */
export async function rebuildIndexes(store: Store, tableName: string): Promise<void> {
  const table = await promisify(store.getTable.bind(store))(tableName);
  const { GlobalSecondaryIndexes: indexes = [] } = table;
  if (indexes.length === 0) return;
  const entries = new Map(indexes.map(({ IndexName }) => [IndexName, new Map<string, Item>()]));
  const items = store.getItemDb(tableName);
  for (const itemKey of await keysOf(items)) {
    const item = await promisify(items.get)(itemKey);
    if (item === undefined) continue;
    for (const entry of getIndexActions(indexes, undefined, item, table).puts) {
      entries.get(entry.index)?.set(entry.key, entry.item);
    }
  }
  for (const [name, expected] of entries) await rebuild(store.getIndexDb('Global', tableName, name), expected);
}

async function rebuild(index: SubDb, expected: ReadonlyMap<string, Item>): Promise<void> {
  for (const key of await keysOf(index)) if (!expected.has(key)) await promisify(index.del)(key);
  for (const [key, item] of expected) await promisify(index.put)(key, item);
}

async function keysOf(db: SubDb): Promise<string[]> {
  const keys: string[] = [];
  for await (const key of db.createKeyStream()) keys.push(key);
  return keys;
}

import { keepNewest } from '../../core/keep-newest.ts';
import { type Expiring, firstRevisionOf } from '../../core/retention.ts';
import type { RecordStore, RecordWrite, StoredRecord } from '../../ports/record-store.ts';
import type { Store } from './open-store.ts';
import { jsonOf, numberOf, type Row, textOf } from './rows.ts';

/** A stored record: unchecked until a schema has parsed it. */
export type Item = Record<string, unknown>;

/** What a store needs to know of its records: a row each, with the columns `revision` and `item`. */
export interface RowKind<Fields extends object> {
  /** Reads an item, as far as it can be read. @throws Error for one of which too little can be read */
  read(item: Item): Omit<StoredRecord<Fields>, 'revision'>;
  /** Selects the row of a key. */
  select(key: string): Row | undefined;
  /** Puts the row of a key. @param item JSON */
  put(key: string, record: Fields, revision: number, item: string): void;
  /** Whether changes go to `publish-events`. @default they do not */
  isPublished?: true;
}

const mostSeen = 1000;

/** Keeps records of one kind in a table of the store, and knows nothing of what they mean. */
export function sqliteRecords<Fields extends Expiring>(store: Store, kind: RowKind<Fields>): RecordStore<Fields> {
  /** The records that were parsed last: most reads find one that nobody has written since. */
  const seen = new Map<string, StoredRecord<Fields>>();

  function readRow(key: string, row: Row): StoredRecord<Fields> {
    const revision = numberOf(row, 'revision');
    const known = seen.get(key);
    if (known?.revision === revision) return known;
    const stored = { ...kind.read(itemOf(row)), revision };
    keepNewest(seen, key, stored, mostSeen);
    return stored;
  }

  return {
    read: async (key) =>
      store.read(() => {
        const row = kind.select(key);
        return row && readRow(key, row);
      }),
    write: (write) => store.commit(() => writeRecord(store, kind, write)),
  };
}

/** Writes a record if it still has the revision that was read. Keeps attributes that davit does not know. */
function writeRecord<Fields extends Expiring>(
  store: Store,
  kind: RowKind<Fields>,
  { key, before, after, command }: RecordWrite<Fields>,
): number | undefined {
  const row = kind.select(key);
  if ((row && numberOf(row, 'revision')) !== before?.revision) return undefined;
  const known = row && itemOf(row);
  const removed = new Set([...Object.keys(before?.record ?? {}), ...(before?.damage?.attributes ?? [])]);
  const kept = Object.entries(known ?? {}).filter(([name]) => !removed.has(name));
  const revision = before === undefined ? firstRevisionOf(after) : before.revision + 1;
  const item = JSON.stringify({ ...Object.fromEntries(kept), ...after, revision, command });
  kind.put(key, after, revision, item);
  if (kind.isPublished === true) store.publish(row && textOf(row, 'item'), item);
  return revision;
}

/** Reads the record of a row, unchecked. */
export function itemOf(row: Row): Item {
  return Object(jsonOf(row, 'item'));
}

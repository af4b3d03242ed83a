import { Readable } from 'node:stream';
import type { Level, Store, Table } from 'dynalite/db/index.js';

/** How many values to read at a time, and how many of their bytes. */
const batchValues = 500;
const batchBytes = 1024 * 1024;

/**
 * Makes dynalite's store read a query's values in batches, and a table's definition once. dynalite itself reads one
 * value after another, and the definition with each request. Each read is a turn of the event loop, so on a busy loop a
 * query of 500 items takes seconds.
 */
export function readLess(store: Store): void {
  const { db } = store;
  db.createValueStream = (options) => Readable.from(valuesOf(db, options), { highWaterMark: batchValues });
  keepDefinitions(store);
}

async function* valuesOf(db: Level, options: object | undefined): AsyncGenerator {
  const iterator = db.values({ ...options, highWaterMarkBytes: batchBytes });
  try {
    for (let batch = await iterator.nextv(batchValues); batch.length > 0; batch = await iterator.nextv(batchValues)) {
      yield* batch;
    }
  } finally {
    await iterator.close();
  }
}

/** Caches the definitions of tables that are ready, until a write changes one. */
function keepDefinitions(store: Store): void {
  const { tableDb } = store;
  const read = store.getTable.bind(store);
  const write = tableDb.put.bind(tableDb);
  let kept = new Map<string, Table>();
  tableDb.put = (name, table, done) => {
    kept = new Map();
    write(name, table, (error) => {
      kept = new Map();
      done(error);
    });
  };
  store.getTable = (name, ...rest) => {
    const [done] = rest;
    // With a second argument, dynalite reads tables that are not ready, too.
    if (typeof done !== 'function') return read(name, ...rest);
    const known = kept.get(name);
    if (known !== undefined) return done(null, known);
    const present = kept;
    read(name, (error, table) => {
      if (error === null && table.TableStatus === 'ACTIVE') present.set(name, table);
      done(error, table);
    });
  };
}

/** Types for the used parts of dynalite, which has none: its store and its operations, without its HTTP server. */
declare module 'dynalite/db/index.js' {
  import type { Readable } from 'node:stream';

  interface StoreOptions {
    /** The directory of the LevelDB store. Without one, the store is in memory. */
    path?: string;
    createTableMs?: number;
    deleteTableMs?: number;
    updateTableMs?: number;
  }

  /** An item, as in requests and the store: each attribute's type and value. */
  export type Item = Record<string, unknown>;

  /** The items of one table. A writer of an item holds a lock on its key. */
  export interface ItemDb {
    get: (key: string, done: (error: Error | null, item?: Item) => void) => void;
    put: (key: string, item: Item, done: (error: Error | null) => void) => void;
  }

  /** dynalite's own data about a table. */
  export interface Table {
    TableName: string;
    TableStatus: string;
  }

  /** Reads values in the order of their keys. */
  export interface ValueIterator {
    /** @returns at most `most` values; none at the end */
    nextv: (most: number) => Promise<unknown[]>;
    close: () => Promise<void>;
  }

  /** The store's database. */
  export interface Level {
    values: (options: object) => ValueIterator;
    createValueStream: (options?: object) => Readable;
  }

  export type GotTable = (error: Error | null, table: Table) => void;

  export interface Store {
    db: Level;
    /** Returns the same object each time. */
    getItemDb(tableName: string): ItemDb;
    tableDb: {
      get: (name: string, done: GotTable) => void;
      put: (name: string, table: Table, done: (error: Error | null) => void) => void;
    };
    /** @param rest the callback; before it, whether to read only a table that is ready. @default true */
    getTable(name: string, ...rest: [GotTable] | [isReady: boolean, GotTable]): void;
    lifecycleManager: { gracefulClose(): Promise<void> };
  }

  export function create(options: StoreOptions): Store;
}

declare module 'dynalite/validations/index.js' {
  import type { Store } from 'dynalite/db/index.js';

  /** Converts a request into an operation's input. Changes the request. */
  export function checkTypes(input: unknown, types: object): object;
  export function checkValidations(input: object, types: object, custom: unknown, store: Store): void;
}

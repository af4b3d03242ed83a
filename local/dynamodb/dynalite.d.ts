/** Types for the used parts of dynalite, which has none: its store and its operations, without its HTTP server. */
declare module 'dynalite/db/index.js' {
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

  export interface Store {
    /** Returns the same object each time. */
    getItemDb(tableName: string): ItemDb;
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

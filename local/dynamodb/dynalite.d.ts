/** What is used of dynalite, which has no types of its own: its store and its operations, without its HTTP server. */
declare module 'dynalite/db/index.js' {
  interface StoreOptions {
    /** Directory of the LevelDB store; in memory without one. */
    path?: string;
    createTableMs?: number;
    deleteTableMs?: number;
    updateTableMs?: number;
  }

  /** An item as requests and the store have it: each attribute's type and value. */
  export type Item = Record<string, unknown>;

  /** The items of one table. Who writes one holds a lock on its key meanwhile. */
  export interface ItemDb {
    get: (key: string, done: (error: Error | null, item?: Item) => void) => void;
    put: (key: string, item: Item, done: (error: Error | null) => void) => void;
  }

  export interface Store {
    /** Gives the same object each time. */
    getItemDb(tableName: string): ItemDb;
    lifecycleManager: { gracefulClose(): Promise<void> };
  }

  export function create(options: StoreOptions): Store;
}

declare module 'dynalite/validations/index.js' {
  import type { Store } from 'dynalite/db/index.js';

  /** Makes what an operation takes of a request; changes the request. */
  export function checkTypes(input: unknown, types: object): object;
  export function checkValidations(input: object, types: object, custom: unknown, store: Store): void;
}

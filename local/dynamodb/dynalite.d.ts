/** What is used of dynalite, which has no types of its own. */
declare module 'dynalite' {
  import type { Server } from 'node:http';

  interface DynaliteOptions {
    /** Directory of the LevelDB store; in memory without one. */
    path?: string;
    createTableMs?: number;
    deleteTableMs?: number;
    updateTableMs?: number;
  }

  /** Makes a server that is not listening yet; closing it closes the store. */
  export default function dynalite(options?: DynaliteOptions): Server;
}

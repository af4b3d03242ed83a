import * as z from 'zod';
import { TransientError } from '../../core/errors/errors.ts';
import type { FunctionName } from '../../runtime/function-settings.ts';
import { type Store, storeRetryMs } from '../store/open-store.ts';
import { waitUntil } from '../wait-until.ts';

/** The dependencies of asynchronous invocations. */
export interface InvocationsDeps {
  store: Store;
  invoke: (functionName: FunctionName, event: unknown) => Promise<unknown>;
  /** The pauses before the second and each later attempt. */
  retryDelaysMs: readonly number[];
  /** Receives each invocation that failed in its last attempt. */
  onDropped: (functionName: string, reason: string) => void;
  nowEpochMs: () => number;
}

const Row = z.object({
  id: z.number(),
  function: z.custom<FunctionName>((value) => typeof value === 'string'),
  event: z.string().transform((text): unknown => JSON.parse(text)),
  attempts: z.number(),
  due_at: z.number(),
});

/**
 * Functions that are to run later, as Lambda's asynchronous invocations: kept with the write that asks for them, run until
 * they succeed or have no attempt left, and run again by the next process.
 */
export class Invocations {
  readonly #deps: InvocationsDeps;
  readonly #timers = new Map<number, NodeJS.Timeout>();
  #isHalted = false;

  constructor(deps: InvocationsDeps) {
    this.#deps = deps;
  }

  /** Goes on with every invocation that is not done. Call it once, at the start. */
  resume(): void {
    const { sql, read } = this.#deps.store;
    for (const row of read(() => sql.all`SELECT id, due_at FROM invocation ORDER BY id`)) {
      this.#runAt(Number(row['id']), Number(row['due_at']));
    }
  }

  /**
   * Keeps an invocation, within the write that is under way if there is one, and runs it soon. It is on the disk when all writes
   * so far are. @throws TransientError
   */
  add(functionName: FunctionName, event: object): void {
    const { store, nowEpochMs } = this.#deps;
    const dueAtEpochMs = nowEpochMs();
    const { lastInsertRowid } = store.write(
      () => store.sql.run`
        INSERT INTO invocation (function, event, attempts, due_at)
        VALUES (${functionName}, ${JSON.stringify(event)}, 0, ${dueAtEpochMs})`,
    );
    this.#runAt(Number(lastInsertRowid), dueAtEpochMs);
  }

  /** Begins nothing more. The next process goes on. */
  halt(): void {
    this.#isHalted = true;
    for (const timer of this.#timers.values()) clearTimeout(timer);
  }

  #runAt(id: number, dueAtEpochMs: number): void {
    if (this.#isHalted) return;
    const run = () => {
      this.#timers.delete(id);
      this.#run(id).catch((error: unknown) => {
        if (!(error instanceof TransientError)) throw error;
        // The store did not answer, so what has run may run twice.
        this.#runAt(id, this.#deps.nowEpochMs() + storeRetryMs);
      });
    };
    this.#timers.set(id, setTimeout(run, waitUntil(dueAtEpochMs, this.#deps.nowEpochMs())));
  }

  /** @throws TransientError StoreUnavailable */
  async #run(id: number): Promise<void> {
    const { store, invoke, retryDelaysMs, onDropped, nowEpochMs } = this.#deps;
    const { sql } = store;
    // A write that was not committed leaves no row.
    const found = store.read(
      () => sql.get`SELECT id, function, event, attempts, due_at FROM invocation WHERE id = ${id}`,
    );
    if (found === undefined) return;
    const { function: functionName, event, attempts } = Row.parse(found);
    const failure = await invoke(functionName, event).then(() => undefined, reasonOf);
    if (this.#isHalted) return;
    const delayMs = retryDelaysMs[attempts];
    if (failure !== undefined && delayMs !== undefined) {
      const dueAtEpochMs = nowEpochMs() + delayMs;
      store.write(
        () => sql.run`UPDATE invocation SET attempts = ${attempts + 1}, due_at = ${dueAtEpochMs} WHERE id = ${id}`,
      );
      return this.#runAt(id, dueAtEpochMs);
    }
    store.write(() => sql.run`DELETE FROM invocation WHERE id = ${id}`);
    if (failure !== undefined) onDropped(functionName, failure);
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}

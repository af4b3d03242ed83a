import * as z from 'zod';
import type { ExecutionStatus } from '../../ports/executions.ts';
import type { Store } from '../store/open-store.ts';
import { textOf } from '../store/rows.ts';
import type { Data } from './state-data.ts';

/** An execution that runs, as far as it has come. */
export interface Progress {
  name: string;
  startedAtEpochMs: number;
  /** The state that it is in: one that runs a function. */
  state: string;
  data: Data;
  /** How often each of the state's retriers has been used, in their order. */
  repeats: readonly number[];
  /** When the next attempt is due. */
  dueAtEpochMs: number;
}

/** How an execution ended. */
export interface End {
  status: Exclude<ExecutionStatus['status'], 'RUNNING'>;
  error?: string;
  cause?: string;
}

const Json = z.string().transform((text): unknown => JSON.parse(text));

const ProgressRow = z
  .object({
    name: z.string(),
    started_at: z.number(),
    state: z.string(),
    data: Json.pipe(z.record(z.string(), z.unknown())),
    repeats: Json.pipe(z.array(z.number())),
    due_at: z.number(),
  })
  .transform(
    ({ name, started_at, state, data, repeats, due_at }): Progress => ({
      name,
      startedAtEpochMs: started_at,
      state,
      data,
      repeats,
      dueAtEpochMs: due_at,
    }),
  );

const StatusRow = z
  .object({
    status: z.enum(['RUNNING', 'SUCCEEDED', 'FAILED', 'TIMED_OUT', 'ABORTED']),
    started_at: z.number(),
    error: z.string().nullable(),
    cause: z.string().nullable(),
  })
  .transform(
    ({ status, started_at, error, cause }): ExecutionStatus => ({
      status,
      startedAtEpochMs: started_at,
      ...(error === null ? {} : { error }),
      ...(cause === null ? {} : { cause }),
    }),
  );

/** The executions in the store: a row each, which always says where to go on. */
export class ExecutionsTable {
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  /** Begins an execution. @returns false when there is one of this name that has other input or is over. @throws as `end` */
  begin({ name, startedAtEpochMs, state, data, repeats, dueAtEpochMs }: Progress, input: string): 'begun' | boolean {
    const { sql, write } = this.#store;
    return write(() => {
      const known = sql.get`SELECT status, input FROM execution WHERE name = ${name}`;
      if (known !== undefined) return textOf(known, 'status') === 'RUNNING' && textOf(known, 'input') === input;
      sql.run`
        INSERT INTO execution (name, status, started_at, input, state, data, repeats, due_at)
        VALUES (${name}, 'RUNNING', ${startedAtEpochMs}, ${input}, ${state}, ${JSON.stringify(data)},
          ${JSON.stringify(repeats)}, ${dueAtEpochMs})`;
      return 'begun';
    });
  }

  /** Writes how far an execution has come. After a power cut, it may go on further back. @throws TransientError StoreUnavailable */
  goOn({ name, state, data, repeats, dueAtEpochMs }: Progress): void {
    this.#store.write(
      () => this.#store.sql.run`
        UPDATE execution SET state = ${state}, data = ${JSON.stringify(data)}, repeats = ${JSON.stringify(repeats)},
          due_at = ${dueAtEpochMs}
        WHERE name = ${name} AND status = 'RUNNING'`,
    );
  }

  /**
   * Ends an execution. After a power cut, it may be in its last state again.
   *
   * @param onEnded called within the write, if the execution ran
   * @returns whether it ran
   * @throws TransientError StoreUnavailable
   */
  end(name: string, { status, error, cause }: End, atEpochMs: number, onEnded: () => void): boolean {
    const { sql, write } = this.#store;
    return write(() => {
      const { changes } = sql.run`
        UPDATE execution SET status = ${status}, ended_at = ${atEpochMs}, error = ${error ?? null},
          cause = ${cause ?? null}, data = NULL, repeats = NULL, due_at = NULL
        WHERE name = ${name} AND status = 'RUNNING'`;
      if (changes > 0) onEnded();
      return changes > 0;
    });
  }

  /** Resolves when all writes so far are on the disk. @throws TransientError StoreUnavailable */
  onDisk(): Promise<void> {
    return this.#store.onDisk();
  }

  status(name: string): ExecutionStatus | undefined {
    const row = this.#store.read(
      () => this.#store.sql.get`SELECT status, started_at, error, cause FROM execution WHERE name = ${name}`,
    );
    return row && StatusRow.parse(row);
  }

  /** The names of the executions that run. */
  runningNames(): string[] {
    const rows = this.#store.read(() => this.#store.sql.all`SELECT name FROM execution WHERE status = 'RUNNING'`);
    return rows.map((row) => textOf(row, 'name'));
  }

  /** The executions that run, oldest first. */
  running(): Progress[] {
    const rows = this.#store.read(
      () => this.#store.sql.all`
        SELECT name, started_at, state, data, repeats, due_at FROM execution
        WHERE status = 'RUNNING' ORDER BY started_at`,
    );
    return rows.map((row) => ProgressRow.parse(row));
  }
}

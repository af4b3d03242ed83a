import { type JsonLines, openJsonLines } from '../json-lines.ts';
import type { Execution } from './execution.ts';
import type { HistoryEvent } from './history-event.ts';

/** The settings of the store. */
export interface ExecutionStoreOptions {
  /** The file to which each execution is appended when it starts, and with its history when it ends. */
  journalPath?: string;
  /** How many ended executions keep their history, input and output. @default 100 */
  keptHistories?: number;
}

/** An execution and its events so far. */
export interface ExecutionEntry {
  execution: Execution;
  history: HistoryEvent[];
}

/**
 * All executions of one state machine, newest last, in memory. As more executions end, an ended one loses its history,
 * input and output.
 */
export class ExecutionStore {
  readonly #entries = new Map<string, ExecutionEntry>();
  readonly #endedNames: string[] = [];
  readonly #keptHistories: number;
  readonly #journal: JsonLines;
  #nextSequence = 1;

  constructor(options: ExecutionStoreOptions) {
    this.#keptHistories = options.keptHistories ?? 100;
    this.#journal = openJsonLines(options.journalPath);
  }

  get(name: string): ExecutionEntry | undefined {
    return this.#entries.get(name);
  }

  nextSequence(): number {
    return this.#nextSequence;
  }

  newestFirst(): ExecutionEntry[] {
    return [...this.#entries.values()].toReversed();
  }

  /** Keeps a new or changed execution. */
  save(entry: ExecutionEntry): void {
    const { execution, history } = entry;
    const { name, status, sequence } = execution;
    this.#journal.append(status === 'RUNNING' ? { execution } : { execution, history });
    this.#entries.set(name, entry);
    this.#nextSequence = Math.max(this.#nextSequence, sequence + 1);
    if (status === 'RUNNING') return;
    this.#endedNames.push(name);
    const historyless = this.#endedNames.at(-1 - this.#keptHistories);
    if (historyless !== undefined) this.#dropData(historyless);
  }

  close(): void {
    this.#journal.close();
  }

  #dropData(name: string): void {
    const entry = this.#entries.get(name);
    if (entry === undefined) return;
    const { input: _input, output: _output, ...execution } = entry.execution;
    this.#entries.set(name, { execution, history: [] });
  }
}

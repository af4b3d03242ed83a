import * as z from 'zod';
import { forgetfulJournal, type JsonLinesJournal, openJournal } from '../json-lines-journal.ts';
import { Execution } from './execution.ts';
import { type HistoryEvent, isHistoryEvent } from './history-event.ts';

/** The settings and limits of the store. */
export interface ExecutionStoreOptions {
  /** The journal's file. Without one, nothing outlives the process. */
  journalPath?: string;
  /** How many ended executions keep their history, input and output. @default 100 */
  keptHistories?: number;
  /** How many ended executions to keep at all, so that their names stay taken. @default 20000 */
  keptExecutions?: number;
}

/** An execution and its events so far. */
export interface ExecutionEntry {
  execution: Execution;
  history: HistoryEvent[];
}

const JournalEntry = z.object({
  execution: Execution,
  history: z.array(z.custom<HistoryEvent>(isHistoryEvent)).default([]),
});

const WithoutData = Execution.omit({ input: true, output: true });

const compactAboveBytes = 32 * 1024 * 1024;

/**
 * All executions of one state machine, newest last, in memory and in a journal. When more executions end, an ended one
 * first loses its history, input and output, and later the store drops it. AWS drops executions after 90 days, this
 * store by their number.
 */
export class ExecutionStore {
  readonly #entries = new Map<string, ExecutionEntry>();
  readonly #endedNames: string[] = [];
  readonly #keptHistories: number;
  readonly #keptExecutions: number;
  readonly #journal: JsonLinesJournal;
  #compactAtBytes = compactAboveBytes;
  #nextSequence = 1;

  constructor(options: ExecutionStoreOptions) {
    this.#keptHistories = options.keptHistories ?? 100;
    this.#keptExecutions = options.keptExecutions ?? 20_000;
    const opened = options.journalPath === undefined ? undefined : openJournal(options.journalPath);
    this.#journal = opened?.journal ?? forgetfulJournal;
    for (const entry of opened?.entries ?? []) this.#load(entry);
    this.#compact();
  }

  get(name: string): ExecutionEntry | undefined {
    return this.#entries.get(name);
  }

  nextSequence(): number {
    return this.#nextSequence;
  }

  /** Newest first. */
  newestFirst(): ExecutionEntry[] {
    return [...this.#entries.values()].toReversed();
  }

  running(): ExecutionEntry[] {
    return [...this.#entries.values()].filter(({ execution }) => execution.status === 'RUNNING');
  }

  /** Keeps a new or changed execution. The journal contains it when this returns. */
  save(entry: ExecutionEntry): void {
    const { execution, history } = entry;
    const ended = execution.status !== 'RUNNING';
    this.#journal.append(ended ? { execution, history } : { execution });
    this.#remember(entry);
    if (this.#journal.sizeBytes > this.#compactAtBytes) this.#compact();
  }

  close(): void {
    this.#journal.close();
  }

  #load(line: unknown): void {
    const { execution, history } = JournalEntry.parse(line);
    this.#remember({ execution, history });
  }

  #remember(entry: ExecutionEntry): void {
    const { name, status, sequence } = entry.execution;
    this.#entries.set(name, entry);
    this.#nextSequence = Math.max(this.#nextSequence, sequence + 1);
    if (status === 'RUNNING') return;
    this.#endedNames.push(name);
    const historyless = this.#endedNames.at(-1 - this.#keptHistories);
    if (historyless !== undefined) this.#dropData(historyless);
    if (this.#endedNames.length > this.#keptExecutions) this.#forgetOldest();
  }

  #dropData(name: string): void {
    const entry = this.#entries.get(name);
    if (entry === undefined) return;
    this.#entries.set(name, { execution: WithoutData.parse(entry.execution), history: [] });
  }

  #forgetOldest(): void {
    const name = this.#endedNames.shift();
    if (name !== undefined) this.#entries.delete(name);
  }

  #compact(): void {
    this.#journal.rewrite(
      [...this.#entries.values()].map(({ execution, history }) =>
        execution.status === 'RUNNING' ? { execution } : { execution, history },
      ),
    );
    this.#compactAtBytes = Math.max(compactAboveBytes, 2 * this.#journal.sizeBytes);
  }
}

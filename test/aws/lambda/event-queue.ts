import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';
import type { JsonValue } from '../../../local/json-value.ts';
import { forgetfulJournal, type JsonLinesJournal, openJournal } from '../json-lines-journal.ts';
import type { FunctionHost } from './function-host.ts';

/** The dependencies of the queue of asynchronous invocations. */
export interface EventQueueOptions {
  host: Pick<FunctionHost, 'has' | 'invoke'>;
  /** The file for unfinished events. Without one, they are lost with the process. */
  journalPath?: string;
  /** Pauses before the second and the third attempt. @default one and two minutes, as on AWS */
  retryDelaysMs?: readonly number[];
  /** Receives each event that failed in its last attempt. */
  onDropped: (functionName: string, reason: string) => void;
}

/** The queue of asynchronous invocations. It accepts an event at once, runs it later, and retries it. */
export interface EventQueue {
  /** Keeps an event, then runs it in the background. Does nothing after the stop. */
  add(functionName: string, event: JsonValue): void;
  /** Starts no more attempts. Unfinished events stay in the journal for the next start. */
  stop(): void;
}

const JournalEntry = z.union([
  z.object({ added: z.string(), functionName: z.string(), event: z.json() }),
  z.object({ done: z.string() }),
]);

const QueuedEvent = z.object({ added: z.string(), functionName: z.string(), event: z.json() });
type QueuedEvent = z.output<typeof QueuedEvent>;

const DEFAULT_RETRY_DELAYS_MS = [60_000, 120_000];
const COMPACT_ABOVE_BYTES = 16 * 1024 * 1024;

/** Opens the queue; events that an earlier process did not finish start again now. */
export function openEventQueue(options: EventQueueOptions): EventQueue {
  const { journal, unfinished } = openEventJournal(options.journalPath);
  const queue = new JournaledEventQueue(options, journal, unfinished);
  queue.runAll();
  return queue;
}

class JournaledEventQueue implements EventQueue {
  readonly #options: EventQueueOptions;
  readonly #journal: JsonLinesJournal;
  readonly #unfinished: Map<string, QueuedEvent>;
  readonly #stopping = new AbortController();

  constructor(options: EventQueueOptions, journal: JsonLinesJournal, unfinished: Map<string, QueuedEvent>) {
    this.#options = options;
    this.#journal = journal;
    this.#unfinished = unfinished;
  }

  runAll(): void {
    for (const queued of this.#unfinished.values()) void this.#run(queued);
  }

  add(functionName: string, event: JsonValue): void {
    if (this.#stopping.signal.aborted) return;
    const queued: QueuedEvent = { added: randomUUID(), functionName, event };
    this.#journal.append(queued);
    this.#unfinished.set(queued.added, queued);
    void this.#run(queued);
  }

  stop(): void {
    if (this.#stopping.signal.aborted) return;
    this.#stopping.abort();
    this.#journal.close();
  }

  async #run(queued: QueuedEvent): Promise<void> {
    const failure = await this.#attempt(queued, [...(this.#options.retryDelaysMs ?? DEFAULT_RETRY_DELAYS_MS)]);
    if (this.#stopping.signal.aborted) return;
    if (failure !== undefined) this.#options.onDropped(queued.functionName, failure);
    this.#unfinished.delete(queued.added);
    this.#journal.append({ done: queued.added });
    if (this.#journal.sizeBytes > COMPACT_ABOVE_BYTES) this.#journal.rewrite(this.#unfinished.values());
  }

  /** Runs an event until it succeeds. Returns the last failure when no retry is left. */
  async #attempt(queued: QueuedEvent, retryDelaysMs: number[]): Promise<string | undefined> {
    const failure = await this.#invoke(queued);
    const delayMs = retryDelaysMs.shift();
    if (failure === undefined || delayMs === undefined) return failure;
    // This rejects only when the queue stops. Then the event stays in the journal, and nothing reads the outcome.
    const slept = await sleep(delayMs, true, { signal: this.#stopping.signal }).catch(() => false);
    return slept ? this.#attempt(queued, retryDelaysMs) : failure;
  }

  async #invoke({ functionName, event }: QueuedEvent): Promise<string | undefined> {
    try {
      const result = await this.#options.host.invoke(functionName, event);
      return result.functionError && `${result.payload.errorType}: ${result.payload.errorMessage}`;
    } catch (error) {
      return String(error);
    }
  }
}

function openEventJournal(path: string | undefined) {
  const unfinished = new Map<string, QueuedEvent>();
  if (path === undefined) return { journal: forgetfulJournal, unfinished };
  const { journal, entries } = openJournal(path);
  for (const entry of z.array(JournalEntry).parse(entries)) {
    if ('done' in entry) unfinished.delete(entry.done);
    else unfinished.set(entry.added, entry);
  }
  journal.rewrite(unfinished.values());
  return { journal, unfinished };
}

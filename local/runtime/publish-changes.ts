import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';
import type { Store } from '../store/open-store.ts';
import { jsonOf, numberOf } from '../store/rows.ts';

/** The dependencies of publishing changes. */
export interface PublishChangesDeps {
  store: Store;
  /** Runs publish-events. */
  publish: (changes: object) => Promise<unknown>;
  onFailed: (reason: string) => void;
}

/** The changes of records that are published. */
export interface PublishedChanges {
  /** Resolves when every change so far has been published. */
  settled(): Promise<void>;
  /** Publishes nothing more. The next process goes on. */
  halt(): Promise<void>;
}

const Answer = z.object({ batchItemFailures: z.array(z.object({ itemIdentifier: z.string() })) });

const batchSize = 25;
const retryMs = 1000;

/**
 * Runs publish-events for the changes of published records, in their order, each until it has been taken. The store keeps
 * them with the write that makes them, so none is lost.
 */
export function publishChanges({ store, publish, onFailed }: PublishChangesDeps): PublishedChanges {
  const stopping = new AbortController();
  let running: Promise<void> | undefined;

  function next(): { sequence: number; change: object }[] {
    const { sql, read } = store;
    return read(() => sql.all`SELECT sequence, before, after FROM change ORDER BY sequence LIMIT ${batchSize}`).map(
      (row) => {
        const sequence = numberOf(row, 'sequence');
        const old = row['before'] === null ? {} : { OldImage: jsonOf(row, 'before') };
        const change = { SequenceNumber: String(sequence), ...old, NewImage: jsonOf(row, 'after') };
        return { sequence, change };
      },
    );
  }

  /** Publishes until nothing is left. */
  async function publishAll(): Promise<void> {
    while (!stopping.signal.aborted) {
      try {
        const batch = next();
        if (batch.length === 0) {
          // No other code runs in between, so the next change begins anew.
          running = undefined;
          return;
        }
        if (await publishBatch(batch)) continue;
      } catch (error) {
        onFailed(String(error));
      }
      await sleep(retryMs, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  }

  /**
   * Publishes changes, and removes those that were taken.
   *
   * @returns whether all were
   * @throws what publish-events throws; TransientError StoreUnavailable
   */
  async function publishBatch(batch: ReturnType<typeof next>): Promise<boolean> {
    const answer = await publish({ Records: batch.map(({ change }) => ({ dynamodb: change })) });
    const [refused] = Answer.parse(answer).batchItemFailures;
    const isRefused = ({ sequence }: (typeof batch)[number]) => String(sequence) === refused?.itemIdentifier;
    const endAt = refused === undefined ? batch.length : batch.findIndex(isRefused);
    const last = batch[endAt - 1];
    if (last !== undefined) store.write(() => store.sql.run`DELETE FROM change WHERE sequence <= ${last.sequence}`);
    return refused === undefined;
  }

  function begin(): void {
    // After the write that is under way.
    running ??= Promise.resolve().then(publishAll);
  }

  store.onChange(begin);
  begin();
  return {
    settled: async () => {
      for (let last = running; last !== undefined; last = running) await last;
    },
    halt: async () => {
      stopping.abort();
      await running;
    },
  };
}

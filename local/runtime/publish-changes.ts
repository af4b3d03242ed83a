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

  async function publishAll(): Promise<void> {
    for (let batch = next(); batch.length > 0 && !stopping.signal.aborted; batch = next()) {
      const taken = await publishBatch(batch);
      if (taken > 0) remove(batch[taken - 1]?.sequence ?? 0);
      if (taken < batch.length) await sleep(retryMs, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  }

  /** @returns how many need no second delivery */
  async function publishBatch(batch: ReturnType<typeof next>): Promise<number> {
    try {
      const answer = await publish({ Records: batch.map(({ change }) => ({ dynamodb: change })) });
      const [first] = Answer.parse(answer).batchItemFailures;
      if (first === undefined) return batch.length;
      return batch.findIndex(({ sequence }) => String(sequence) === first.itemIdentifier);
    } catch (error) {
      onFailed(String(error));
      return 0;
    }
  }

  function remove(untilSequence: number): void {
    store.write(() => store.sql.run`DELETE FROM change WHERE sequence <= ${untilSequence}`);
  }

  function begin(): void {
    if (running !== undefined || stopping.signal.aborted) return;
    // After the write that is under way.
    running = Promise.resolve()
      .then(publishAll)
      .finally(() => {
        running = undefined;
        if (!stopping.signal.aborted && next().length > 0) begin();
      });
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

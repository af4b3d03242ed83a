import type { RecordStore, RecordWrite, StoredRecord } from '../../ports/record-store.ts';
import type { Invocation } from './invocation.ts';

/** A table of records of one kind: each method is one request to DynamoDB, and has its effect at one moment. */
export class RecordsTable<Fields> {
  readonly #records = new Map<string, StoredRecord<Fields>>();

  get(key: string): Fields | undefined {
    return this.#records.get(key)?.record;
  }

  get all(): Fields[] {
    return [...this.#records.values()].map(({ record }) => record);
  }

  stored(key: string): StoredRecord<Fields> | undefined {
    return this.#records.get(key);
  }

  /** Writes a record if its revision is still the one that was read. @returns the new revision, if it was written */
  write(write: RecordWrite<Fields>): number | undefined {
    const { key, before, after } = write;
    const known = this.#records.get(key)?.revision;
    if (known !== before?.revision) return undefined;
    const revision = (known ?? 0) + 1;
    this.#records.set(key, { record: after, revision });
    this.tell(write, revision);
    return revision;
  }

  /** Adds to the history what a write means. */
  protected tell(_write: RecordWrite<Fields>, _revision: number): void {}
}

/** The records of a table as one run of a function reaches them. */
export function simulatedRecords<Fields>(
  table: Pick<RecordsTable<Fields>, 'stored' | 'write'>,
  invocation: Invocation,
): RecordStore<Fields> {
  return {
    read: (key) => invocation.reads('store', () => table.stored(key)),
    write: (write) => invocation.writes('store', () => table.write(write)),
  };
}

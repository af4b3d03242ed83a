import type { RecordStore, RecordWrite, StoredRecord } from '../../ports/record-store.ts';

const damage = { why: 'damaged', attributes: [] };

/** A store of records in memory, with exactly the port's rules. It copies records on writes and reads. */
export class MemoryRecords<Fields> implements RecordStore<Fields> {
  readonly #stored = new Map<string, StoredRecord<Fields>>();
  readonly #damaged = new Set<string>();

  /** All records, not copied. */
  all(): Fields[] {
    return [...this.#stored.values()].map(({ record }) => record);
  }

  /** The records with these keys, in their order, not copied. */
  withKeys(keys: readonly string[]): Fields[] {
    return [...new Set(keys)].flatMap((key) => this.#stored.get(key)?.record ?? []);
  }

  /** The keys of the unreadable records. */
  get damaged(): ReadonlySet<string> {
    return this.#damaged;
  }

  /** Makes a record unreadable. A later write repairs it. */
  damage(key: string): void {
    this.#damaged.add(key);
  }

  /** Changes a record, whatever it is, if there is one. */
  replace(key: string, change: (record: Fields) => Fields): void {
    const stored = this.#stored.get(key);
    if (stored === undefined) return;
    this.#stored.set(key, structuredClone({ record: change(stored.record), revision: stored.revision + 1 }));
  }

  async read(key: string): Promise<StoredRecord<Fields> | undefined> {
    const stored = structuredClone(this.#stored.get(key));
    return stored && this.#damaged.has(key) ? { ...stored, damage } : stored;
  }

  async write({ key, before, after }: RecordWrite<Fields>): Promise<number | undefined> {
    if (this.#stored.get(key)?.revision !== before?.revision) return undefined;
    const revision = (before?.revision ?? 0) + 1;
    this.#stored.set(key, structuredClone({ record: after, revision }));
    this.#damaged.delete(key);
    return revision;
  }
}

/** A record as it was read, and the revision that a write must still find. */
export interface StoredRecord<Fields> {
  record: Fields;
  /** Greater with each write of the record, and never used again after its removal. */
  revision: number;
  /** The damage of a record that does not parse. @default the record is whole */
  damage?: Damage;
}

/** What is wrong with a stored record. The rest of it could be read. */
export interface Damage {
  /** The problems, without the record's content. */
  why: string;
  /** The attributes that could not be read. The next write repairs them. */
  attributes: readonly string[];
}

/** One write of a record. */
export interface RecordWrite<Fields> {
  key: string;
  /** The record as it was read; undefined when there was none. */
  before: StoredRecord<Fields> | undefined;
  after: Fields;
  /** The name of the command, for the history of the record. */
  command: string;
}

/**
 * A store of records of one kind. It knows nothing of what they mean: it reads a record with its revision, and writes only
 * if the revision is still that one. An expired record that is not yet removed counts as there. A write changes only the
 * attributes in which the two records differ, and keeps those that it does not know. Any method may throw TransientError
 * StoreUnavailable.
 */
export interface RecordStore<Fields> {
  /** Reads a record, strongly consistent. */
  read(key: string): Promise<StoredRecord<Fields> | undefined>;
  /** @returns the record's new revision; undefined when another write came first, which may be a repeat of this one */
  write(write: RecordWrite<Fields>): Promise<number | undefined>;
}

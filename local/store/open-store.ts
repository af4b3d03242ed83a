import { closeSync, fdatasync, openSync } from 'node:fs';
import { DatabaseSync, type SQLTagStore } from 'node:sqlite';
import { promisify } from 'node:util';
import { TransientError } from '../../core/errors/errors.ts';
import { diskWaits } from './disk-waits.ts';

/**
 * What one davit process keeps, in one SQLite file. All of its code is synchronous, and one process has the file: no other
 * code runs between the first and the last statement of `write`, so what a method reads there is still so when it writes.
 */
export interface Store extends Disposable {
  sql: SQLTagStore;
  /**
   * Runs statements that write, all of them or none. Inside of another write, they belong to that. A power cut, but no kill, may
   * undo a write with all that followed it, up to the next `onDisk`: enough for one without which davit would do something again.
   *
   * @throws TransientError
   */
  write: <Result>(statements: () => Result) => Result;
  /**
   * Runs them as `write` does, and resolves when they are on the disk. Meanwhile other code runs, and sees what they wrote; its
   * commits wait together. @throws TransientError
   */
  commit: <Result>(statements: () => Result) => Promise<Result>;
  /** Resolves when all writes so far are on the disk. @throws TransientError */
  onDisk: () => Promise<void>;
  /** Runs statements that read. @throws TransientError StoreUnavailable */
  read: <Result>(statements: () => Result) => Result;
  /** Keeps the change of a published record, for `publish-events`, within the write that makes it. @param before JSON, as `after` */
  publish: (before: string | undefined, after: string) => void;
  /** Calls a listener at each such change, before the end of its write. */
  onChange: (listener: () => void) => void;
}

const dataSync = promisify(fdatasync);

/** When to ask a store again that did not answer, in milliseconds. */
export const storeRetryMs = 1000;

/** The store's file in a davit's state directory. */
export const storeFile = 'davit.sqlite';

/** `item`, `body`, `data`: JSON. `..._at`: milliseconds since 1970; `expires_at` in seconds. */
const schema = `
  CREATE TABLE IF NOT EXISTS launch (
    launch_id TEXT PRIMARY KEY, status TEXT, requested_at INTEGER, revision INTEGER, expires_at INTEGER, item TEXT
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS launch_by_status ON launch (status, requested_at DESC, launch_id);
  CREATE INDEX IF NOT EXISTS launch_standing_by ON launch (requested_at, launch_id)
    WHERE status = 'connected' AND item ->> '$.standby.sinceEpochMs' IS NOT NULL AND item -> '$.standby.summons' IS NULL;
  CREATE TABLE IF NOT EXISTS token (
    agent_name TEXT PRIMARY KEY, expires_at INTEGER, item TEXT
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS cluster (
    cluster TEXT PRIMARY KEY, revision INTEGER, expires_at INTEGER, item TEXT
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS job (
    job_key TEXT PRIMARY KEY, waits_at TEXT, is_limited INTEGER, revision INTEGER, expires_at INTEGER, item TEXT
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS job_waiting ON job (waits_at, expires_at) WHERE waits_at IS NOT NULL;
  CREATE TABLE IF NOT EXISTS lost_job (
    lost_key TEXT PRIMARY KEY, ci_system TEXT, revision INTEGER, expires_at INTEGER, item TEXT
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS slot (
    limit_key TEXT, holder TEXT, launch_id TEXT, repository TEXT, taken_at INTEGER, PRIMARY KEY (limit_key, holder)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS slot_limit (limit_key TEXT PRIMARY KEY, revision INTEGER) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS note (
    kind TEXT, ci_system TEXT, key TEXT, noted_at INTEGER, expires_at INTEGER, body TEXT,
    PRIMARY KEY (kind, ci_system, key)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS change (
    sequence INTEGER PRIMARY KEY AUTOINCREMENT, before TEXT, after TEXT
  ) STRICT;
  CREATE TABLE IF NOT EXISTS event (
    sequence INTEGER PRIMARY KEY AUTOINCREMENT, body TEXT
  ) STRICT;
  CREATE TABLE IF NOT EXISTS invocation (
    id INTEGER PRIMARY KEY AUTOINCREMENT, function TEXT, event TEXT, attempts INTEGER, due_at INTEGER
  ) STRICT;
  CREATE TABLE IF NOT EXISTS execution (
    name TEXT PRIMARY KEY, status TEXT, started_at INTEGER, ended_at INTEGER, input TEXT, state TEXT, data TEXT,
    repeats TEXT, due_at INTEGER, error TEXT, cause TEXT
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS execution_running ON execution (name) WHERE status = 'RUNNING';
  CREATE TABLE IF NOT EXISTS secret_version (
    name TEXT, version TEXT, created_at INTEGER, text TEXT, PRIMARY KEY (name, created_at, version)
  ) STRICT, WITHOUT ROWID;
`;

/**
 * Opens the file, and makes it if there is none.
 *
 * @param file its path, or `:memory:`
 * @param onUnavailable called with SQLite's words when it does not answer, such as for a full disk
 * @throws Error when another process has it, or when it is none of davit's
 */
export function openStore(file: string, onUnavailable: (reason: string) => void = () => undefined): Store {
  const lock = file === ':memory:' ? undefined : lockOf(file);
  const database = opened(file);
  // SQLite would wait for the disk in this thread. `onDisk` waits beside it, before davit answers.
  naming(file, () => {
    database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA busy_timeout = 5000');
    database.exec(schema);
  });
  // SQLite writes each commit to its log, and keeps that file while it is open.
  const log = file === ':memory:' ? undefined : openSync(`${file}-wal`, 'r+');
  const disk = diskWaits(async () => (log === undefined ? undefined : dataSync(log)));
  const sql = database.createTagStore();
  const listeners: (() => void)[] = [];

  function unavailable(cause: unknown): TransientError {
    const reason = `SQLite: ${cause instanceof Error ? cause.message : String(cause)}`;
    onUnavailable(reason);
    return new TransientError('StoreUnavailable', reason, {}, { cause });
  }

  /** SQLite's own errors, such as a full disk, are those of a store that does not answer. */
  function answered<Result>(statements: () => Result): Result {
    try {
      return statements();
    } catch (error) {
      throw error instanceof Error && 'errcode' in error ? unavailable(error) : error;
    }
  }

  function write<Result>(statements: () => Result): Result {
    if (database.isTransaction) return statements();
    return answered(() => {
      database.exec('BEGIN IMMEDIATE');
      try {
        const result = statements();
        database.exec('COMMIT');
        disk.wrote();
        return result;
      } finally {
        if (database.isTransaction) database.exec('ROLLBACK');
      }
    });
  }

  async function onDisk(): Promise<void> {
    try {
      await disk.onDisk();
    } catch (error) {
      throw unavailable(error);
    }
  }

  return {
    sql,
    write,
    commit: async (statements) => {
      const result = write(statements);
      await onDisk();
      return result;
    },
    onDisk,
    read: answered,
    onChange: (listener) => listeners.push(listener),
    publish: (before, after) => {
      sql.run`INSERT INTO change (before, after) VALUES (${before ?? null}, ${after})`;
      for (const listener of listeners) listener();
    },
    [Symbol.dispose]: () => {
      if (log !== undefined) closeSync(log);
      database.close();
      lock?.close();
    },
  };
}

/**
 * Takes the lock of a file, which ends with the process, however that ends. It is a lock of a file beside the store's own, so
 * that a backup can read the store while davit runs.
 */
function lockOf(file: string): DatabaseSync {
  const lockFile = `${file}.lock`;
  const lock = opened(lockFile);
  try {
    lock.exec('BEGIN EXCLUSIVE');
    return lock;
  } catch (cause) {
    lock.close();
    if (isBusy(cause)) throw new Error(`another davit uses ${file}`, { cause });
    return naming(lockFile, () => {
      throw cause;
    });
  }
}

/** SQLite's code for a file that another process has locked. @see https://www.sqlite.org/rescode.html#busy */
const busy = 5;

function isBusy(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && error.errcode === busy;
}

function opened(file: string): DatabaseSync {
  return naming(file, () => new DatabaseSync(file));
}

/** Adds the file to SQLite's words, which do not name it. @throws Error */
function naming<Result>(file: string, act: () => Result): Result {
  try {
    return act();
  } catch (cause) {
    if (!(cause instanceof Error) || !('errcode' in cause)) throw cause;
    throw new Error(`${file}: ${cause.message}`, { cause });
  }
}

/**
 * Removes what has expired. @param nowEpochMs the present moment
 */
export function removeExpired({ sql, write }: Store, nowEpochMs: number): void {
  const now = Math.floor(nowEpochMs / 1000);
  write(() => {
    sql.run`DELETE FROM launch WHERE expires_at < ${now}`;
    sql.run`DELETE FROM token WHERE expires_at < ${now}`;
    sql.run`DELETE FROM cluster WHERE expires_at < ${now}`;
    sql.run`DELETE FROM job WHERE expires_at < ${now}`;
    sql.run`DELETE FROM lost_job WHERE expires_at < ${now}`;
    sql.run`DELETE FROM note WHERE expires_at < ${now}`;
    sql.run`DELETE FROM event WHERE sequence <= (SELECT max(sequence) FROM event) - ${mostEvents}`;
    sql.run`DELETE FROM execution WHERE ended_at < ${nowEpochMs - executionRetentionMs}`;
  });
}

const mostEvents = 10_000;
/** As on AWS. */
const executionRetentionMs = 90 * 24 * 3_600_000;

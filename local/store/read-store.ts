import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { storeFile } from './open-store.ts';

/**
 * Opens the store of a davit, which may be running, for reading only.
 *
 * @throws Error when there is none
 */
function openForReading(stateDirectory: string): DatabaseSync {
  return new DatabaseSync(join(stateDirectory, storeFile), { readOnly: true, timeout: 5000 });
}

/** Reads the present text of a secret. @throws Error when there is none */
export function readSecret(stateDirectory: string, name: string): string {
  const database = openForReading(stateDirectory);
  try {
    const query = 'SELECT text FROM secret_version WHERE name = ? ORDER BY created_at DESC LIMIT 1';
    const row = database.prepare(query).get(name);
    if (typeof row?.['text'] === 'string') return row['text'];
  } finally {
    database.close();
  }
  const file = join(stateDirectory, storeFile);
  throw new Error(`secret ${name}: there is none in ${file}; give it to davit local: --secret ${name}=FILE`);
}

/** The events that a davit has sent, oldest first. */
export interface SentEvents extends Disposable {
  /** Reads those that came since the last call, as JSON. */
  next(): string[];
}

/** Opens the events that a davit has sent. @throws Error when no davit has run there */
export function readEvents(stateDirectory: string): SentEvents {
  const database = openForReading(stateDirectory);
  const query = database.prepare('SELECT sequence, body FROM event WHERE sequence > ? ORDER BY sequence');
  let last = 0;
  return {
    next: () =>
      query.all(last).map((row) => {
        last = Number(row['sequence']);
        return String(row['body']);
      }),
    [Symbol.dispose]: () => database.close(),
  };
}

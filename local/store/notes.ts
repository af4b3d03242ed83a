import { clockSetBackMs } from '../../core/clock-set-back.ts';
import type { Store } from './open-store.ts';
import { jsonOf } from './rows.ts';

/** What is noted about a CI system, and of which kind it is. */
export interface NoteKey {
  kind:
    | 'repository'
    | 'look'
    | 'clock'
    | 'rate'
    | 'cursor'
    | 'delivery'
    | 'poll'
    | 'turn'
    | 'told'
    | 'refused'
    | 'pace'
    | 'pause';
  ciSystem: string;
  /** Distinguishes several notes of one kind. @default there is one */
  key?: string;
}

/** A note, and its moment. */
export interface Note extends NoteKey {
  body: unknown;
  atEpochMs: number;
  /** For how long it stays. */
  keepMs: number;
}

/** Writes a note, unless there is one of a later moment. @throws TransientError */
export async function putNote(store: Store, note: Note): Promise<void> {
  await store.commit(() => setNote(store, note));
}

/** Does what `putNote` does, within a write that is under way. */
export function setNote({ sql }: Store, { kind, ciSystem, key = '', body, atEpochMs, keepMs }: Note): void {
  const expiresAtEpochSeconds = Math.ceil((atEpochMs + keepMs) / 1000);
  sql.run`
    INSERT INTO note VALUES
      (${kind}, ${ciSystem}, ${key}, ${atEpochMs}, ${expiresAtEpochSeconds}, ${JSON.stringify(body)})
    ON CONFLICT DO UPDATE
      SET noted_at = excluded.noted_at, expires_at = excluded.expires_at, body = excluded.body
      WHERE excluded.noted_at >= note.noted_at OR note.noted_at > ${atEpochMs + clockSetBackMs}`;
}

/** Reads a note. */
export function noteOf({ sql, read }: Store, { kind, ciSystem, key = '' }: NoteKey): unknown {
  return read(() => {
    const row = sql.get`SELECT body FROM note WHERE kind = ${kind} AND ci_system = ${ciSystem} AND key = ${key}`;
    return row && jsonOf(row, 'body');
  });
}

/** Reads all notes of a kind that are younger than a moment. @param afterEpochMs this moment. @default all */
export function notesOf({ sql, read }: Store, kind: NoteKey['kind'], ciSystem: string, afterEpochMs = -1): unknown[] {
  return read(() =>
    sql.all`
      SELECT body FROM note WHERE kind = ${kind} AND ci_system = ${ciSystem} AND noted_at > ${afterEpochMs}`.map(
      (row) => jsonOf(row, 'body'),
    ),
  );
}

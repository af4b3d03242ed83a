import { TransientError } from '../../core/errors/errors.ts';
import type { Transition } from '../../core/transition.ts';
import type { Damage, RecordStore } from '../../ports/record-store.ts';

/** A command to a record. */
export interface Command<Fields> {
  key: string;
  /** Its name in the record's history. */
  name: string;
  transition: Transition<Fields>;
  /** Whether to change a record that does not parse, by what can be read of it. @default such a record throws */
  evenIfDamaged?: boolean;
}

/** The record after a command, and whether this call has written it. */
export interface ChangedRecord<Fields> {
  record: Fields | undefined;
  isWritten: boolean;
}

/** Twenty calls at once settle in twenty rounds at most, because each round writes one of them. */
const mostAttempts = 25;

/**
 * Changes a record by a command. When another write comes first, runs the transition again on what that one wrote. The
 * store's repeat of a write whose answer was lost meets its own revision: the transition then finds its effect in place.
 *
 * @throws TransientError WriteConflict when each attempt met another write; Error for a damaged record
 */
export async function changeRecord<Fields>(
  store: RecordStore<Fields>,
  { key, name, transition, evenIfDamaged = false }: Command<Fields>,
): Promise<ChangedRecord<Fields>> {
  for (let attempt = 0; attempt < mostAttempts; attempt += 1) {
    const before = await store.read(key);
    if (before?.damage !== undefined && !evenIfDamaged) throw unreadable(key, before.damage);
    const after = transition(before?.record);
    if (after === undefined || after === before?.record) return { record: after, isWritten: false };
    const revision = await store.write({ key, before, after, command: name });
    if (revision !== undefined) return { record: after, isWritten: true };
  }
  throw new TransientError('WriteConflict', `${name}: the record ${key} changed each time it was read`);
}

/** The error for a damaged record, to a caller that needs it whole. */
export function unreadable(key: string, { why }: Damage): Error {
  return new Error(`the record of ${key} cannot be read: ${why}`);
}

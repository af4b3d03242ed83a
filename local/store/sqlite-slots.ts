import { EpochMs } from '../../core/epoch-ms.ts';
import { LaunchId } from '../../core/launch/names.ts';
import type { SlotLimit } from '../../core/limits/slot-limits.ts';
import { present } from '../../core/present.ts';
import * as z from '../../core/zod.ts';
import type { HeldSlot, Slots } from '../../ports/slots.ts';
import { type Trace, untraced } from '../../ports/trace.ts';
import type { Store } from './open-store.ts';
import { numberOf, textOf } from './rows.ts';

const SlotRow = z.object({ holder: z.string(), launch_id: LaunchId, repository: z.string(), taken_at: EpochMs });

/** Keeps the slots of limits in the store, a row each. */
export function sqliteSlots(store: Store, trace: Trace = untraced): Slots {
  const { sql, read, commit } = store;
  const holdersOf = (key: string) =>
    sql.all`SELECT holder FROM slot WHERE limit_key = ${key}`.map((row) => textOf(row, 'holder'));

  /** Makes a change and counts it, if it may be made; traces it once it is on the disk. @returns whether it was made */
  async function change(
    command: keyof Slots,
    { key, maxAgents }: Limit,
    holder: string,
    make: () => boolean,
  ): Promise<boolean> {
    const written = await commit(() => {
      if (!make()) return undefined;
      return { revision: nextRevision(store, key), held: holdersOf(key).length };
    });
    if (written === undefined) return false;
    const { revision, held } = written;
    trace({ kind: 'limit', key, revision, command, fields: present({ holder, held, maxAgents }) });
    return true;
  }

  function put(key: string, holder: string, { launchId, repository, takenAtEpochMs }: HeldSlot): boolean {
    sql.run`INSERT OR REPLACE INTO slot VALUES (${key}, ${holder}, ${launchId}, ${repository}, ${takenAtEpochMs})`;
    return true;
  }

  return {
    take: async (limit, holder, slot) =>
      change('take', limit, holder, () => {
        const holders = holdersOf(limit.key);
        return (holders.length < limit.maxAgents || holders.includes(holder)) && put(limit.key, holder, slot);
      }),
    hold: async (key, holder, slot) => {
      await change('hold', { key }, holder, () => put(key, holder, slot));
    },
    free: async (key, holder) => {
      await change('free', { key }, holder, () => {
        const { changes } = sql.run`DELETE FROM slot WHERE limit_key = ${key} AND holder = ${holder}`;
        return Number(changes) > 0;
      });
    },
    get: async (key) =>
      read(
        () =>
          new Map(
            sql.all`SELECT holder, launch_id, repository, taken_at FROM slot WHERE limit_key = ${key}`.map((row) => {
              const { holder, launch_id: launchId, repository, taken_at: takenAtEpochMs } = SlotRow.parse(row);
              return [holder, { launchId, repository, takenAtEpochMs }];
            }),
          ),
      ),
  };
}

type Limit = Pick<SlotLimit, 'key'> & Partial<SlotLimit>;

/** Counts a write of a limit's slots. */
function nextRevision({ sql }: Store, key: string): number {
  const row = sql.get`
    INSERT INTO slot_limit VALUES (${key}, 1)
    ON CONFLICT DO UPDATE SET revision = revision + 1 RETURNING revision`;
  if (row === undefined) throw new TypeError('an upsert returns its row');
  return numberOf(row, 'revision');
}

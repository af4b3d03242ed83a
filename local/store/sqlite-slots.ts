import { EpochMs } from '../../core/epoch-ms.ts';
import { LaunchId } from '../../core/launch/names.ts';
import * as z from '../../core/zod.ts';
import type { HeldSlot, Slots } from '../../ports/slots.ts';
import type { Store } from './open-store.ts';
import { textOf } from './rows.ts';

const SlotRow = z.object({
  holder: z.string(),
  launch_id: LaunchId,
  repository: z.string(),
  taken_at: EpochMs,
});

/** Keeps the slots of limits in the store, a row each. */
export function sqliteSlots({ sql, read, write }: Store): Slots {
  const put = (key: string, holder: string, { launchId, repository, takenAtEpochMs }: HeldSlot) =>
    sql.run`INSERT OR REPLACE INTO slot VALUES (${key}, ${holder}, ${launchId}, ${repository}, ${takenAtEpochMs})`;
  return {
    take: async ({ key, maxAgents }, holder, slot) =>
      write(() => {
        const holders = sql.all`SELECT holder FROM slot WHERE limit_key = ${key}`.map((row) => textOf(row, 'holder'));
        if (holders.length >= maxAgents && !holders.includes(holder)) return false;
        put(key, holder, slot);
        return true;
      }),
    hold: async (key, holder, slot) => {
      write(() => put(key, holder, slot));
    },
    free: async (key, holder) => {
      write(() => sql.run`DELETE FROM slot WHERE limit_key = ${key} AND holder = ${holder}`);
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

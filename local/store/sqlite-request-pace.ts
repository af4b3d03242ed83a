import { slotStart } from '../../core/ci/request-pace.ts';
import { EpochMs } from '../../core/epoch-ms.ts';
import * as z from '../../core/zod.ts';
import type { RequestPace } from '../../ports/request-pace.ts';
import { type NoteKey, noteOf, putNote, setNote } from './notes.ts';
import type { Store } from './open-store.ts';

const slotRetentionMs = 60_000;
const pauseRetentionMs = 3_600_000;

const Slot = z.object({ used: z.int(), refused: z.int() });
type Slot = z.infer<typeof Slot>;

/** Counts in the store the points that are used at a CI system: one note for each of its slots. */
export function sqliteRequestPace(store: Store): RequestPace {
  return {
    take: async ({ ciSystem, slot, points, most, yields, waits }) =>
      store.commit(() => {
        const before = readSlot(store, ciSystem, slot);
        const isWaitedFor = yields !== undefined && before.refused + readSlot(store, ciSystem, slot - 1).refused > 0;
        if (!isWaitedFor && before.used + points <= most) {
          keepSlot(store, ciSystem, slot, { ...before, used: before.used + points });
          return undefined;
        }
        if (waits === undefined) return { refused: 0 };
        const refused = before.refused + 1;
        keepSlot(store, ciSystem, slot, { ...before, refused });
        return { refused };
      }),
    usedIn: async (ciSystem, slots) => new Map(slots.map((slot) => [slot, readSlot(store, ciSystem, slot).used])),
    pause: (ciSystem, untilEpochMs) =>
      putNote(store, {
        kind: 'pause',
        ciSystem,
        body: untilEpochMs,
        atEpochMs: untilEpochMs,
        keepMs: pauseRetentionMs,
      }),
    pausedUntil: async (ciSystem) => z.optional(EpochMs).parse(noteOf(store, { kind: 'pause', ciSystem })) ?? 0,
  };
}

function readSlot(store: Store, ciSystem: string, slot: number): Slot {
  return z.optional(Slot).parse(noteOf(store, keyOf(ciSystem, slot))) ?? { used: 0, refused: 0 };
}

function keepSlot(store: Store, ciSystem: string, slot: number, body: Slot): void {
  setNote(store, { ...keyOf(ciSystem, slot), body, atEpochMs: slotStart(slot), keepMs: slotRetentionMs });
}

function keyOf(ciSystem: string, slot: number): NoteKey {
  return { kind: 'pace', ciSystem, key: `${slot}` };
}

import { isRecent, RefusedWebhooks, refusedWindowMs } from '../../core/ci/refused-webhooks.ts';
import * as z from '../../core/zod.ts';
import type { RefusedWebhookStore } from '../../ports/refused-webhooks.ts';
import { noteOf, setNote } from './notes.ts';
import type { Store } from './open-store.ts';

/** Keeps refused webhooks in the store. */
export function sqliteRefusedWebhooks(store: Store): RefusedWebhookStore {
  const known = (ciSystem: string) => z.optional(RefusedWebhooks).parse(noteOf(store, { kind: 'refused', ciSystem }));
  return {
    get: async (ciSystem) => known(ciSystem),
    note: async ({ ciSystem, count, why, atEpochMs }) =>
      store.commit(() => {
        const before = known(ciSystem);
        const recent = before !== undefined && isRecent(before, atEpochMs) ? before : undefined;
        const body: RefusedWebhooks = {
          count: count + (recent?.count ?? 0),
          why,
          firstAtEpochMs: recent?.firstAtEpochMs ?? atEpochMs,
          lastAtEpochMs: atEpochMs,
        };
        setNote(store, { kind: 'refused', ciSystem, body, atEpochMs, keepMs: refusedWindowMs });
      }),
  };
}

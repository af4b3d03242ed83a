import { present } from '../../core/present.ts';
import type { HeldSlot, HeldSlots, Slots } from '../../ports/slots.ts';
import type { Core } from './core.ts';
import type { Invocation } from './invocation.ts';
import type { Random } from './random.ts';

/** A limit; its maximum where a slot is taken only below it. */
interface Limit {
  key: string;
  maxAgents?: number | undefined;
}

/** The slots of limits: each method is one request to DynamoDB, and has its effect at one moment. */
export class SlotsTable {
  readonly #core: Core | undefined;
  readonly #held = new Map<string, ReadonlyMap<string, HeldSlot>>();
  readonly #revisions = new Map<string, number>();

  constructor(core?: Core) {
    this.#core = core;
  }

  held(key: string): HeldSlots {
    return this.#held.get(key) ?? new Map();
  }

  /** Every slot, by the id of the attempt that holds it. */
  all(): [holder: string, slot: HeldSlot][] {
    return [...this.#held.values()].flatMap((held) => [...held]);
  }

  /** Takes a slot if the condition holds. @returns whether it did */
  putIf({ key, maxAgents }: Limit, holder: string, slot: HeldSlot, condition: (held: HeldSlots) => boolean): boolean {
    const held = this.held(key);
    if (!condition(held)) return false;
    this.#set(
      { key, maxAgents },
      maxAgents === undefined ? 'hold' : 'take',
      holder,
      new Map([...held, [holder, slot]]),
    );
    return true;
  }

  remove(key: string, holder: string): void {
    const held = this.held(key);
    const launchId = held.get(holder)?.launchId;
    if (launchId !== undefined) this.#core?.history.add({ kind: 'slotFreed', launchId, holder });
    if (held.has(holder)) this.#set({ key }, 'free', holder, new Map([...held].filter(([name]) => name !== holder)));
  }

  /** Loses a slot, as a table that is restored to an earlier state does. */
  loseOne(random: Random): void {
    const slots = [...this.#held].flatMap(([key, held]) => [...held.keys()].map((holder) => ({ key, holder })));
    if (slots.length === 0) return;
    const { key, holder } = random.pick(slots);
    this.#held.set(key, new Map([...this.held(key)].filter(([name]) => name !== holder)));
  }

  #set({ key, maxAgents }: Limit, command: keyof Slots, holder: string, held: HeldSlots): void {
    const revision = (this.#revisions.get(key) ?? 0) + 1;
    this.#held.set(key, held);
    this.#revisions.set(key, revision);
    const fields = present({ holder, held: held.size, maxAgents });
    this.#core?.history.trace(() => ({ kind: 'limit', key, revision, command, fields }));
  }
}

/** The slots as one run of a function reaches them, request by request as the DynamoDB adapter makes them. */
export function simulatedSlots(table: SlotsTable, invocation: Invocation): Slots {
  const get = (key: string) => invocation.reads('store', () => table.held(key));
  const put = (...given: Parameters<SlotsTable['putIf']>) => invocation.writes('store', () => table.putIf(...given));
  return {
    get,
    take: async (limit, holder, slot) => {
      const { key, maxAgents } = limit;
      const held = await get(key);
      if (held.size >= maxAgents && !held.has(holder)) return false;
      return put(limit, holder, slot, (now) => now.size < maxAgents || now.has(holder));
    },
    free: (key, holder) => invocation.writes('store', () => table.remove(key, holder)),
    hold: async (key, holder, slot) => {
      await get(key);
      await put({ key }, holder, slot, () => true);
    },
  };
}

import type { SlotLimit } from '../../functions/domain/slot-limits.ts';
import type { HeldSlot, HeldSlots, Slots } from '../../functions/ports/slots.ts';

/** The slots of agent limits, in memory, with exactly the port's rules. */
export class MemorySlots implements Slots {
  readonly #held = new Map<string, Map<string, HeldSlot>>();

  async take({ key, maxAgents }: SlotLimit, holder: string, slot: HeldSlot): Promise<boolean> {
    const held = this.#of(key);
    if (held.size >= maxAgents && !held.has(holder)) return false;
    held.set(holder, { ...slot });
    return true;
  }

  async free(key: string, holder: string): Promise<void> {
    this.#of(key).delete(holder);
  }

  async hold(key: string, holder: string, slot: HeldSlot): Promise<void> {
    this.#of(key).set(holder, { ...slot });
  }

  async get(key: string): Promise<HeldSlots> {
    return new Map(this.#of(key));
  }

  #of(key: string): Map<string, HeldSlot> {
    const held = this.#held.get(key) ?? new Map<string, HeldSlot>();
    this.#held.set(key, held);
    return held;
  }
}

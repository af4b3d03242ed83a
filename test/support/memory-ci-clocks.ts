import type { CiClocks } from '../../functions/ports/ci-clocks.ts';

/** The clocks of CI systems, in memory, with exactly the port's rules. */
export class MemoryCiClocks implements CiClocks {
  readonly #aheadMs = new Map<string, number>();

  async get(ciSystem: string): Promise<number | undefined> {
    return this.#aheadMs.get(ciSystem);
  }

  async keep(ciSystem: string, aheadMs: number): Promise<void> {
    this.#aheadMs.set(ciSystem, aheadMs);
  }
}

import type { RateSpent } from '../../functions/domain/rate-budget.ts';
import type { RateSpending } from '../../functions/ports/rate-spending.ts';

/** The use of rate limits, in memory, with exactly the port's rules. */
export class MemoryRateSpending implements RateSpending {
  readonly #spent = new Map<string, RateSpent>();

  async get(ciSystem: string): Promise<RateSpent | undefined> {
    return structuredClone(this.#spent.get(ciSystem));
  }

  async keep(ciSystem: string, spent: RateSpent): Promise<void> {
    const before = this.#spent.get(ciSystem);
    if (before === undefined || before.atEpochMs <= spent.atEpochMs) this.#spent.set(ciSystem, structuredClone(spent));
  }
}

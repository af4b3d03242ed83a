import { type LostJob, lostJobKeyOf } from '../../functions/domain/lost-job.ts';
import type { LostJobOutcome, LostJobs } from '../../functions/ports/lost-jobs.ts';

/** Lost jobs in memory, with exactly the port's rules. They are copied on writes and reads. */
export class MemoryLostJobs implements LostJobs {
  readonly #lost = new Map<string, { lost: LostJob; outcome?: LostJobOutcome }>();

  async note(lost: LostJob): Promise<void> {
    const key = keyOf(lost);
    if (!this.#lost.has(key)) this.#lost.set(key, { lost: structuredClone(lost) });
  }

  async listWaiting(ciSystem: string): Promise<LostJob[]> {
    return [...this.#lost.values()]
      .filter(({ lost, outcome }) => lost.ciSystem === ciSystem && outcome === undefined)
      .map(({ lost }) => structuredClone(lost));
  }

  async settle(lost: LostJob, outcome: LostJobOutcome): Promise<void> {
    const known = this.#lost.get(keyOf(lost));
    if (known !== undefined) known.outcome ??= outcome;
  }
}

function keyOf(lost: LostJob): string {
  return `${lost.ciSystem} ${lostJobKeyOf(lost)}`;
}

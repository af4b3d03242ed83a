import { keptOfSlot, mostOfSlot, type RequestPoints, slotOf } from '../../core/ci/request-pace.ts';
import type { PaceRefusal } from '../../logic/pace/system-pace.ts';
import type { ReconcileDeps } from './reconcile-deps.ts';
import type { ReconcileRun } from './reconcile-run.ts';

type RoundPaceDeps = Pick<ReconcileDeps, 'pace' | 'sleep' | 'nowEpochMs'>;

/**
 * The part of a CI system's minute that one round may use. Registrations come first: while they need the minute, a round
 * reads no more than what is kept for reads, and goes on with the rest in the next round.
 */
export class RoundPace {
  readonly #deps: RoundPaceDeps;
  readonly #run: Pick<ReconcileRun, 'mayBegin'>;
  readonly #ciSystem: string;
  readonly #points: RequestPoints | undefined;
  #taken = 0;
  #allowed = 0;
  #keptIn: number | undefined;
  #isPaused = false;
  #turn: Promise<boolean> = Promise.resolve(true);

  constructor(deps: RoundPaceDeps, run: Pick<ReconcileRun, 'mayBegin'>, ciSystem: string) {
    this.#deps = deps;
    this.#run = run;
    this.#ciSystem = ciSystem;
    this.#points = deps.pace.pointsOf(ciSystem);
  }

  /**
   * Takes points for one question, in the order of the questions. Waits for the next slot if this one is used up.
   *
   * @param sent says how many requests the round has made: a question may be more than one
   * @param share the part of the round's time in which this may begin
   * @returns whether there is room
   * @throws TransientError StoreUnavailable
   */
  async mayRead(sent: () => number, share: number): Promise<boolean> {
    const allowed = this.#points;
    if (allowed === undefined) return true;
    const mine = this.#turn.catch(() => true).then(() => this.#takeReads(allowed, sent, share));
    this.#turn = mine;
    return mine;
  }

  async #takeReads(allowed: RequestPoints, sent: () => number, share: number): Promise<boolean> {
    while (this.#taken < Math.max(sent(), this.#allowed) + 1) {
      if (this.#isPaused || !this.#run.mayBegin(share)) return false;
      // Each time is a write to a table, so half of what the slot has.
      const refusal = await this.#take('doubt', Math.floor(mostOfSlot(allowed, 'doubt') / 2));
      if (refusal !== undefined) await this.#takeKept(allowed, refusal);
    }
    this.#allowed = Math.max(sent(), this.#allowed) + 1;
    return true;
  }

  /** Takes what is kept for reads, once in a slot, or waits for the next one. */
  async #takeKept(allowed: RequestPoints, { untilEpochMs, isPaused }: PaceRefusal): Promise<void> {
    this.#isPaused = isPaused;
    if (isPaused) return;
    const slot = slotOf(this.#deps.nowEpochMs());
    if (this.#keptIn !== slot) {
      this.#keptIn = slot;
      if ((await this.#take('kept', keptOfSlot(allowed))) === undefined) return;
    }
    await this.#deps.sleep(Math.max(1, untilEpochMs - this.#deps.nowEpochMs()));
  }

  async #take(purpose: 'doubt' | 'kept', reads: number): Promise<PaceRefusal | undefined> {
    const refusal = await this.#deps.pace.take(this.#ciSystem, purpose, { reads });
    if (refusal === undefined) this.#taken += reads;
    return refusal;
  }
}

/**
 * Takes points for a repair's requests that write, as long as there is time: waits for the next slot if this one is used up.
 *
 * @returns whether there is room
 * @throws TransientError StoreUnavailable
 */
export async function mayWrite(
  { pace, sleep, nowEpochMs }: RoundPaceDeps,
  run: Pick<ReconcileRun, 'mayBegin'>,
  ciSystem: string,
): Promise<boolean> {
  for (;;) {
    const refusal = await pace.take(ciSystem, 'retirement', { writes: 1 });
    if (refusal === undefined) return true;
    if (refusal.isPaused || !run.mayBegin()) return false;
    await sleep(Math.max(1, refusal.untilEpochMs - nowEpochMs()));
    if (!run.mayBegin()) return false;
  }
}

import { present } from '../../core/present.ts';
import type { PointsNeeded, PointsRefused, RequestPace } from '../../ports/request-pace.ts';
import type { Invocation } from './invocation.ts';

/** The points that are used at the CI systems, by slot: each method is one request to DynamoDB. */
export class RequestPaceTable {
  readonly #slots = new Map<string, { used: number; refused?: number }>();
  readonly #pausedUntilEpochMs = new Map<string, number>();

  /** @param isFull whether other programs or launches have used up the slot */
  take({ ciSystem, slot, points, most, yields, waits }: PointsNeeded, isFull: boolean): PointsRefused | undefined {
    const key = `${ciSystem}/${slot}`;
    const { used, refused = 0 } = this.#slots.get(key) ?? { used: 0 };
    const refusedBefore = this.#slots.get(`${ciSystem}/${slot - 1}`)?.refused ?? 0;
    if (!isFull && used + points <= most && (yields === undefined || refused + refusedBefore === 0)) {
      this.#slots.set(key, { used: used + points, ...present({ refused: refused || undefined }) });
      return undefined;
    }
    if (waits === undefined) return { refused: 0 };
    this.#slots.set(key, { used, refused: refused + 1 });
    return { refused: refused + 1 };
  }

  usedIn(ciSystem: string, slots: readonly number[]): ReadonlyMap<number, number> {
    return new Map(slots.map((slot) => [slot, this.#slots.get(`${ciSystem}/${slot}`)?.used ?? 0]));
  }

  pause(ciSystem: string, untilEpochMs: number): void {
    this.#pausedUntilEpochMs.set(ciSystem, Math.max(untilEpochMs, this.pausedUntil(ciSystem)));
  }

  pausedUntil(ciSystem: string): number {
    return this.#pausedUntilEpochMs.get(ciSystem) ?? 0;
  }
}

/** The table as one run of a function reaches it. */
export function simulatedRequestPace(table: RequestPaceTable, invocation: Invocation): RequestPace {
  const { faults } = invocation.core;
  return {
    take: (needed) =>
      invocation.writes('store', () => table.take(needed, faults.hits('ciMinuteFull', invocation.launchId))),
    usedIn: (ciSystem, slots) => invocation.reads('store', () => table.usedIn(ciSystem, slots)),
    pause: (ciSystem, untilEpochMs) => invocation.writes('store', () => table.pause(ciSystem, untilEpochMs)),
    pausedUntil: (ciSystem) => invocation.reads('store', () => table.pausedUntil(ciSystem)),
  };
}

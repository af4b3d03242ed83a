import { allFaultKinds, type FaultKind } from './fault-kinds.ts';
import type { History } from './history.ts';
import { Random, seedOf } from './random.ts';
import { type Theme, themeOf } from './themes.ts';

const rates = [0.02, 0.1, 0.4];

/** The faults of one run, and the probability with which each hits at an opportunity. */
export type FaultPlan = ReadonlyMap<FaultKind, number>;

/**
 * Chooses the faults of a run. A few kinds at a time, each at its own rate, reach more combinations than all kinds at
 * low rates. In two runs of five they are of one theme; of the others, one in six has no faults.
 */
export function planFaults(seed: number): FaultPlan {
  const random = new Random(seedOf(seed, 'plan'));
  const theme = themeOf(seed);
  if (theme !== undefined) return new Map(themed(theme, random));
  const share = random.pick([0, 0.03, 0.1, 0.1, 0.3, 0.6]);
  const chosen = allFaultKinds.filter(() => random.chance(share));
  return new Map(chosen.map((kind) => [kind, random.pick(rates)]));
}

/** Most faults of a theme, at high rates, and a few others. */
function themed({ kinds }: Theme, random: Random): [FaultKind, number][] {
  const chosen = kinds.filter(() => random.chance(0.8));
  const others = allFaultKinds.filter((kind) => !kinds.includes(kind) && random.chance(0.01));
  return [
    ...chosen.map((kind): [FaultKind, number] => [kind, random.pick([0.1, 0.3, 0.6])]),
    ...others.map((kind): [FaultKind, number] => [kind, random.pick(rates)]),
  ];
}

/** Decides at each opportunity whether a fault hits, and records each hit in the history. */
export class Faults {
  readonly #seed: number;
  readonly #plan: FaultPlan;
  readonly #history: History;
  readonly #streams = new Map<FaultKind, Random>();
  #calm = false;

  constructor(seed: number, plan: FaultPlan, history: History) {
    this.#seed = seed;
    this.#plan = plan;
    this.#history = history;
  }

  /** Ends all faults. */
  calm(): void {
    this.#calm = true;
  }

  /** @param launchId the launch that it hits; undefined for all */
  hits(kind: FaultKind, launchId: string | undefined): boolean {
    const rate = this.#plan.get(kind);
    if (rate === undefined || this.#calm || !this.#stream(kind).chance(rate)) return false;
    this.#history.add({ kind: 'fault', fault: kind, launchId });
    return true;
  }

  #stream(kind: FaultKind): Random {
    const known = this.#streams.get(kind);
    if (known !== undefined) return known;
    const stream = new Random(seedOf(this.#seed, kind));
    this.#streams.set(kind, stream);
    return stream;
  }
}

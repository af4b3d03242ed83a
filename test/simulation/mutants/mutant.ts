import type { FaultKind } from '../../../simulation/world/fault-kinds.ts';
import type { FaultPlan } from '../../../simulation/world/faults.ts';
import type { Mutation } from '../../../simulation/world/world.ts';

/** A davit that has one thing wrong, and how that comes to light. */
export interface Mutant {
  name: string;
  mutation: Mutation;
  /** A seed that brings it to light; when davit changes, it may be another soon after. */
  seed: number;
  /** The faults that bring it to light. */
  kinds: readonly FaultKind[];
  /** The invariant that it breaks: the beginning of its name. */
  breaks: string;
}

/** The faults that bring a mutant to light, often. */
export function planOf({ kinds }: Mutant): FaultPlan {
  return new Map(kinds.map((kind) => [kind, 0.5]));
}

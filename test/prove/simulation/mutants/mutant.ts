import type { Scenario } from '../../../../simulation/run-seed.ts';
import type { FaultKind } from '../../../../simulation/world/fault-kinds.ts';
import type { Mutation } from '../../../../simulation/world/world.ts';

/** The conditions that reveal a defect; without those of the queue, it has no jobs, and is as small as can be. */
export interface RevealingWorld
  extends Pick<Scenario, 'queued' | 'maxAgents' | 'warm' | 'isSized' | 'ci' | 'holdFailedSeconds'> {
  /** A seed that reveals it; a change of davit may move it. */
  seed: number;
  kinds: readonly FaultKind[];
  /** The start of the name of the invariant that it breaks. */
  breaks: string;
}

/** A davit with one defect. */
export interface Mutant {
  name: string;
  world: RevealingWorld;
  mutation: Mutation;
}

/** Mutants by their names. */
export type Mutants = Readonly<Record<string, Omit<Mutant, 'name'>>>;

/** Whether a mutant shows only where a queue has sizes and warm agents at once: worlds at random have one or the other. */
export function isOfMixedWorlds({ world: { warm = 0, isSized = false } }: Mutant): boolean {
  return warm > 0 && isSized;
}

const fewest = { queued: 0, maxAgents: 'any', warm: 0, isSized: false, ci: 'webhooks', holdFailedSeconds: 0 } as const;

/** The scenario that reveals a mutant: its faults, at a high rate, and its jobs. */
export function scenarioOf({ world }: Mutant): Scenario {
  const { seed: _seed, breaks: _breaks, kinds, ...asked } = world;
  return { ...fewest, ...asked, plan: new Map(kinds.map((kind) => [kind, 0.5] as const)) };
}

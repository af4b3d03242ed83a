import type { Scenario } from '../../../../simulation/run-seed.ts';
import type { FaultKind } from '../../../../simulation/world/fault-kinds.ts';
import type { Mutation } from '../../../../simulation/world/world.ts';

/** A davit with one defect, and the conditions that reveal it. */
export interface Mutant {
  name: string;
  mutation: Mutation;
  /** A seed that reveals it; a change of davit may move it. */
  seed: number;
  /** The number of queued jobs. @default none */
  queued?: number;
  /** The limit of the queue's agents. @default unlimited */
  maxAgents?: Scenario['maxAgents'];
  /** The number of warm agents. @default none */
  warm?: number;
  /** Whether some jobs of the queue request sizes. @default none does */
  isSized?: boolean;
  /** The kind of the queue's CI system. @default one that sends webhooks */
  ci?: Scenario['ci'];
  /** How long the profiles hold the Pod of a failed launch, in seconds. @default they do not */
  holdFailedSeconds?: number;
  /** The faults that reveal it. */
  kinds: readonly FaultKind[];
  /** The start of the name of the invariant that it breaks. */
  breaks: string;
}

/** Whether a mutant shows only where a queue has sizes and warm agents at once: worlds at random have one or the other. */
export function isOfMixedWorlds({ warm = 0, isSized = false }: Mutant): boolean {
  return warm > 0 && isSized;
}

/** The conditions that reveal a mutant: its faults, at a high rate, and its jobs. */
export function scenarioOf({
  kinds,
  queued = 0,
  maxAgents = 'any',
  warm = 0,
  isSized = false,
  ci = 'webhooks',
  holdFailedSeconds = 0,
}: Mutant): Pick<Scenario, 'plan' | 'queued' | 'maxAgents' | 'warm' | 'isSized' | 'ci' | 'holdFailedSeconds'> {
  const plan = new Map(kinds.map((kind) => [kind, 0.5] as const));
  return { plan, queued, maxAgents, warm, isSized, ci, holdFailedSeconds };
}

/**
 * The tests that judge mutants: those of the mutated folders, the comparisons of the generated documents with the tests of
 * the config, all unit tests, or the simulation.
 */
export type Judge = 'own' | 'documents' | 'unit' | 'simulation';

/** A change of one expression that a test should notice. */
export interface Mutant {
  /** From the repository's root. */
  file: string;
  line: number;
  column: number;
  endLine: number;
  endColumn: number;
  mutator: string;
  /** The code that the mutant replaces. */
  original: string;
  replacement: string;
  /** The judge whose tests failed or did not end; undefined for a survivor. */
  killedBy?: Judge;
}

/** The number of mutants, and of killed ones. */
export interface Counts {
  mutants: number;
  killed: number;
  /** How many of the killed ones only the simulation killed. */
  bySimulation: number;
}

/** Counts mutants, and those that a judge killed. */
export function countsOf(mutants: readonly Mutant[]): Counts {
  const killed = mutants.filter(({ killedBy }) => killedBy !== undefined);
  const bySimulation = killed.filter(({ killedBy }) => killedBy === 'simulation');
  return { mutants: mutants.length, killed: killed.length, bySimulation: bySimulation.length };
}

/** @returns the share of killed mutants, in percent, to one decimal */
export function scoreOf({ killed, mutants }: Counts): string {
  return mutants === 0 ? '100.0' : ((100 * killed) / mutants).toFixed(1);
}

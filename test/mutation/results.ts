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

/** The results of one file's mutants. */
export interface FileResult extends Counts {
  survivors: Mutant[];
}

/** The number of mutants, and of killed ones. */
export interface Counts {
  mutants: number;
  killed: number;
  /** How many of the killed ones only the simulation killed. */
  bySimulation: number;
}

/** The results by file. */
export type Results = Readonly<Record<string, FileResult>>;

/** Counts the mutants of each file. */
export function resultsOf(files: readonly string[], mutants: readonly Mutant[]): Results {
  return Object.fromEntries(
    files.map((file) => {
      const all = mutants.filter((mutant) => mutant.file === file);
      const survivors = all.filter(({ killedBy }) => killedBy === undefined);
      const bySimulation = all.filter(({ killedBy }) => killedBy === 'simulation').length;
      return [file, { mutants: all.length, killed: all.length - survivors.length, bySimulation, survivors }];
    }),
  );
}

/** Adds the counts of several files up. */
export function sumOf(results: readonly Counts[]): Counts {
  const total = (count: (result: Counts) => number) => results.reduce((sum, result) => sum + count(result), 0);
  return {
    mutants: total(({ mutants }) => mutants),
    killed: total(({ killed }) => killed),
    bySimulation: total(({ bySimulation }) => bySimulation),
  };
}

/** @returns the share of killed mutants, in percent, to one decimal */
export function scoreOf({ killed, mutants }: Counts): string {
  return mutants === 0 ? '100.0' : ((100 * killed) / mutants).toFixed(1);
}

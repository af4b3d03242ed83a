import { readFile, writeFile } from 'node:fs/promises';
import * as z from 'zod';

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

const Survivor = z.strictObject({
  line: z.int(),
  mutator: z.string(),
  original: z.string(),
  replacement: z.string(),
});
/** A mutant that no test notices. */
export type Survivor = z.infer<typeof Survivor>;

const FileResult = z.strictObject({
  /** The commit whose code was mutated. */
  commit: z.string(),
  mutants: z.int(),
  killed: z.int(),
  /** How many of the killed ones only the simulation killed. */
  bySimulation: z.int(),
  survivors: z.array(Survivor),
});
/** The results of one file's mutants. */
export type FileResult = z.infer<typeof FileResult>;

const Results = z.record(z.string(), FileResult);
/** The results by file. */
export type Results = z.infer<typeof Results>;

const resultsFile = new URL('results.json', import.meta.url);

/** Reads the recorded results. */
export async function readResults(): Promise<Results> {
  return Results.parse(JSON.parse(await readFile(resultsFile, 'utf8')));
}

/** Puts the results of some files in place of the earlier ones. */
export async function recordResults(found: Results): Promise<void> {
  const results = Object.entries({ ...(await readResults()), ...found });
  results.sort(([one], [other]) => (one < other ? -1 : 1));
  await writeFile(resultsFile, `${JSON.stringify(Object.fromEntries(results), undefined, 2)}\n`);
}

/** Counts the mutants of each file. */
export function resultsOf(files: readonly string[], mutants: readonly Mutant[], commit: string): Results {
  return Object.fromEntries(
    files.map((file) => {
      const all = mutants.filter((mutant) => mutant.file === file);
      const survivors = all.filter(({ killedBy }) => killedBy === undefined).map(survivorOf);
      const bySimulation = all.filter(({ killedBy }) => killedBy === 'simulation').length;
      return [file, { commit, mutants: all.length, killed: all.length - survivors.length, bySimulation, survivors }];
    }),
  );
}

function survivorOf({ line, mutator, original, replacement }: Mutant): Survivor {
  return { line, mutator, original, replacement };
}

/** The number of mutants, and of killed ones. */
export type Counts = Pick<FileResult, 'mutants' | 'killed' | 'bySimulation'>;

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

import { dirname } from 'node:path';
import { type KeptTable, takenHead } from '../../../scripts/kept-rows.ts';
import { countsOf, type Mutant, scoreOf } from './results.ts';

/** The table of docs/mutation.md: a row for each folder. */
export const resultsTable: KeptTable = {
  command: 'npm run prove -- mutate --record',
  head: ['folder', 'noticed', 'mutants', 'unnoticed', 'by the simulation alone', ...takenHead],
};

/** Writes the results of whole folders. @param taken when, and of which commit */
export function rowsOf(mutants: readonly Mutant[], taken: readonly string[]): string[][] {
  const folders = Map.groupBy(mutants, ({ file }) => dirname(file));
  return [...folders].map(([folder, ofFolder]) => {
    const counts = countsOf(ofFolder);
    const columns = [counts.mutants, counts.mutants - counts.killed, counts.bySimulation].map(String);
    return [`\`${folder}\``, `${scoreOf(counts)} %`, ...columns, ...taken];
  });
}

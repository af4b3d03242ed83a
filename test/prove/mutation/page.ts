import { dirname } from 'node:path';
import { withRows } from '../../../scripts/kept-rows.ts';
import { countsOf, type Mutant, scoreOf } from './results.ts';

const head = ['folder', 'noticed', 'mutants', 'unnoticed', 'by the simulation alone', 'on', 'commit'];

/**
 * Writes the results of whole folders into docs/mutation.md's table, a row for each. Keeps the rows of other folders.
 *
 * @param day ISO 8601
 * @throws Error for a page without the table's marks
 */
export function withResults(page: string, mutants: readonly Mutant[], day: string, commit: string): string {
  const folders = Map.groupBy(mutants, ({ file }) => dirname(file));
  const rows = [...folders].map(([folder, ofFolder]) => {
    const counts = countsOf(ofFolder);
    const columns = [counts.mutants, counts.mutants - counts.killed, counts.bySimulation].map(String);
    return [`\`${folder}\``, `${scoreOf(counts)} %`, ...columns, day, commit];
  });
  return withRows(page, { command: 'npm run prove -- mutate --record', head }, rows);
}

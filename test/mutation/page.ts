import { dirname } from 'node:path';
import { withRows } from '../../scripts/kept-rows.ts';
import { type Results, scoreOf, sumOf } from './results.ts';

const head = ['folder', 'noticed', 'mutants', 'unnoticed', 'by the simulation alone', 'on', 'commit'];

/**
 * Writes the results of whole folders into docs/mutation.md's table, a row for each. Keeps the rows of other folders.
 *
 * @param day ISO 8601
 * @throws Error for a page without the table's marks
 */
export function withResults(page: string, results: Results, day: string, commit: string): string {
  const folders = Map.groupBy(Object.entries(results), ([file]) => dirname(file));
  const rows = [...folders].map(([folder, files]) => {
    const sum = sumOf(files.map(([, result]) => result));
    const counts = [sum.mutants, sum.mutants - sum.killed, sum.bySimulation].map(String);
    return [`\`${folder}\``, `${scoreOf(sum)} %`, ...counts, day, commit];
  });
  return withRows(page, { command: 'npm run prove -- mutate --record', head }, rows);
}

import { withRows } from '../../../../scripts/kept-rows.ts';
import type { Taken } from '../results.ts';
import { round } from './table.ts';

const head = ['measure', 'figure', 'goal', 'found', '', 'on', 'commit'];

/**
 * Writes a measure's figures with a goal into a page's table. Keeps the latest rows of other measures.
 *
 * @param order the names of all measures; rows of other measures are removed
 * @throws Error for a page without the table's marks
 */
export function withFigures(page: string, taken: Taken, order: readonly string[]): string {
  return withRows(page, { command: 'npm run bench', head, order }, rowsOf(taken));
}

function rowsOf({ measure, figures, takenAt, commit }: Taken): string[][] {
  return figures.flatMap(({ name, goal }) =>
    goal === undefined
      ? []
      : [
          [
            measure,
            name,
            goal.limit,
            round(goal.value),
            goal.isMet ? 'met' : '**missed**',
            takenAt.slice(0, 10),
            commit,
          ],
        ],
  );
}

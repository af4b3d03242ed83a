import type { Taken } from '../results.ts';
import { markdownOf, round } from './table.ts';

const begin = '<!-- Figures: written by `npm run bench`. -->';
const end = '<!-- End of the figures. -->';
const head = ['measure', 'figure', 'goal', 'found', '', 'on', 'commit'];

/**
 * Writes a measure's figures with a goal into a page's table, between its two marks. Keeps everything else, and the latest
 * rows of other measures.
 *
 * @param order the names of all measures; rows of other measures are removed
 * @throws Error for a page without the marks
 */
export function withFigures(page: string, taken: Taken, order: readonly string[]): string {
  const [from, to] = [page.indexOf(begin), page.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`the page has no "${begin}" with "${end}" after it`);
  const rows = page
    .slice(from, to)
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .map((line) => line.slice(2, -2).split(' | '));
  const others = rows.filter(([measure = '']) => order.includes(measure) && measure !== taken.measure);
  const all = [...others, ...rowsOf(taken)];
  const sorted = all.toSorted(([one = ''], [other = '']) => order.indexOf(one) - order.indexOf(other));
  return `${page.slice(0, from)}${begin}\n\n${markdownOf([head, ...sorted])}\n${page.slice(to)}`;
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

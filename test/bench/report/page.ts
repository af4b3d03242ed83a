import type { Results, Taken } from '../results.ts';
import { goalsOf, tableOf } from './table.ts';

const begin = '<!-- Figures: written by `npm run bench`. -->';
const end = '<!-- End of the figures. -->';

/** The file name of a figure's chart. @param index the figure's index in its measure */
export const chartNameOf = (measure: string, index: number): string => `${measure}-${index + 1}.svg`;

/**
 * Inserts figures into a page, between its two marks, and keeps everything else.
 *
 * @throws Error for a page without the marks
 */
export function withFigures(page: string, { taken }: Results): string {
  const [from, to] = [page.indexOf(begin), page.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`the page has no "${begin}" with "${end}" after it`);
  const goals = `## Goals\n\n${goalsOf(taken.flatMap(({ figures }) => figures))}`;
  const text = [goals, ...taken.map(sectionOf)].join('\n');
  return `${page.slice(0, from)}${begin}\n\n${text}\n${page.slice(to)}`;
}

function sectionOf({ measure, figures, takenAt, tookSeconds, load, machine }: Taken): string {
  const when = `${takenAt.slice(0, 16).replace('T', ' ')} UTC, in ${tookSeconds} s`;
  const where = `${machine.processors} × ${machine.model}, Node.js ${machine.node}`;
  const loads = `load average ${load.before.toFixed(1)} before, ${load.after.toFixed(1)} at the end`;
  const charts = figures.flatMap(({ name, contenders }, index) =>
    contenders.length < 2 ? [] : [`![${name}](${chartNameOf(measure, index)})\n`],
  );
  return [`## ${measure}\n`, `${when}; ${where}; ${loads}.\n`, tableOf(figures), ...charts].join('\n');
}

import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { markdownTable } from './cost/markdown.ts';

/** A page's table of measured figures, between two marks. The first cell of a row says what was measured. */
export interface KeptTable {
  command: string;
  head: readonly string[];
  /** The first cells that the table may have, in their order. @default any, by the alphabet */
  order?: readonly string[];
}

const end = '<!-- End of the figures. -->';

/**
 * Puts rows into a page's table in place of the earlier rows with the same first cell. Keeps the other rows and the rest of
 * the page.
 *
 * @throws Error for a page without the table's marks
 */
export function withRows(page: string, { command, head, order }: KeptTable, rows: readonly string[][]): string {
  const begin = `<!-- Figures: written by \`${command}\`. -->`;
  const [from, to] = [page.indexOf(begin), page.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`the page has no "${begin}" with "${end}" after it`);
  const isNew = new Set(rows.map(([key = '']) => key));
  const others = page
    .slice(from, to)
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .slice(2)
    .map((line) => line.slice(2, -2).split(' | '))
    .filter(([key = '']) => !isNew.has(key) && (order === undefined || order.includes(key)));
  const all = [...others, ...rows];
  const keys = order ?? [...new Set(all.map(([key = '']) => key))].toSorted();
  const sorted = all.toSorted(([one = ''], [other = '']) => keys.indexOf(one) - keys.indexOf(other));
  return `${page.slice(0, from)}${begin}\n\n${markdownTable(head, sorted)}\n\n${page.slice(to)}`;
}

/** The head of the two cells that `takenNow` fills. */
export const takenHead = ['on', 'commit'] as const;

/** Says of which day (UTC) and of which commit figures are: the last two cells of a row. */
export function takenNow(): [day: string, commit: string] {
  const commit = execFileSync('git', ['log', '-1', '--format=%h'], { encoding: 'utf8' }).trim();
  return [new Date().toISOString().slice(0, 10), commit];
}

/** Puts rows into the table of a page in docs/, as `withRows` does. */
export function keepRows(name: string, table: KeptTable, rows: readonly string[][]): void {
  const page = new URL(`../docs/${name}`, import.meta.url);
  writeFileSync(page, withRows(readFileSync(page, 'utf8'), table, rows));
}

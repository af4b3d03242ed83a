import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { merge, readResults, type Taken, writeResults } from '../results.ts';
import { chartOf } from './chart.ts';
import { chartNameOf, withFigures } from './page.ts';

/** The directory of the figures. */
export const docsDirectory = new URL('../../../docs/bench/', import.meta.url);

/**
 * Writes a measure's results: into results.json, beside other measures' earlier results; into README.md, between its
 * marks; and a chart of each figure with comparisons.
 *
 * @param directory ends in a slash and contains README.md
 * @param order the names of all measures; results of other measures are removed
 */
export async function writeDocs(directory: URL, taken: Taken, order: readonly string[]): Promise<void> {
  const results = merge(await readResults(new URL('results.json', directory)), taken, order);
  await writeResults(new URL('results.json', directory), results);
  const page = new URL('README.md', directory);
  await writeFile(page, withFigures(await readFile(page, 'utf8'), results));
  for (const name of await readdir(directory)) if (name.endsWith('.svg')) await rm(new URL(name, directory));
  for (const { measure, figures } of results.taken) {
    for (const [index, figure] of figures.entries()) {
      if (figure.contenders.length < 2) continue;
      await writeFile(new URL(chartNameOf(measure, index), directory), chartOf(figure));
    }
  }
}

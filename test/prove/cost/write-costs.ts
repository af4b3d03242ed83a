import { readFile, writeFile } from 'node:fs/promises';
import { costParts } from '../../../scripts/cost/cost-docs.ts';
import { Counts, countsFile } from '../../../scripts/cost/counts.ts';
import { limitParts } from '../../../scripts/cost/limit-docs.ts';
import { shapeOfDavit } from '../../../scripts/cost/stack-shape.ts';
import { withParts } from '../../../scripts/written-parts.ts';
import { measure } from './measure.ts';

/**
 * Counts the AWS usage of launches, and writes the counts, docs/cost.md and docs/limits.md.
 *
 * @param launchesText the number of launches, as the user wrote it
 */
export async function writeCosts(launchesText: string): Promise<void> {
  const launches = Counts.shape.launches.parse(Number(launchesText));
  const counts = await measure(launches, (line) => process.stdout.write(`${line}\n`));
  const shape = shapeOfDavit();
  await writeFile(countsFile, `${JSON.stringify(counts, undefined, 2)}\n`);
  for (const [name, parts] of Object.entries({ cost: costParts(counts, shape), limits: limitParts(counts, shape) })) {
    const page = new URL(`../../../docs/${name}.md`, import.meta.url);
    await writeFile(page, withParts(await readFile(page, 'utf8'), ...parts));
  }
  process.stdout.write('written: scripts/cost/counts.json, docs/cost.md, docs/limits.md\n');
}

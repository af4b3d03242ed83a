/**
 * Counts the AWS usage of launches in the local runtime, and writes docs/cost.md and docs/limits.md.
 *
 *     node test/cost/main.ts [--launches N] [--help]
 */
import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { costDocs } from '../../scripts/cost/cost-docs.ts';
import { Counts, countsFile } from '../../scripts/cost/counts.ts';
import { limitDocs } from '../../scripts/cost/limit-docs.ts';
import { shapeOfDavit } from '../../scripts/cost/stack-shape.ts';
import { measure } from './measure.ts';

const usage = `npm run cost -- [options]

Runs launches whose agents take 30 s to connect, a thousand an hour. Counts their states, invocations, calls and bytes.
Writes the counts to scripts/cost/counts.json, their cost to docs/cost.md, and the quotas that limit them to
docs/limits.md. \`npm run docs\` writes the documents from existing counts.

  --launches N   the number of launches (default 10, which take a minute and a half)
  --help         this text
`;

const { values } = parseArgs({
  options: { launches: { type: 'string', default: '10' }, help: { type: 'boolean', default: false } },
});
if (values.help) {
  process.stdout.write(usage);
} else {
  const launches = Counts.shape.launches.parse(Number(values.launches));
  const counts = await measure(launches, (line) => process.stdout.write(`${line}\n`));
  const shape = shapeOfDavit();
  await writeFile(countsFile, `${JSON.stringify(counts, undefined, 2)}\n`);
  await writeFile(new URL('../../docs/cost.md', import.meta.url), costDocs(counts, shape));
  await writeFile(new URL('../../docs/limits.md', import.meta.url), limitDocs(counts, shape));
  process.stdout.write('written: scripts/cost/counts.json, docs/cost.md, docs/limits.md\n');
}

/**
 * Writes the documents that are made of tables in the code.
 *
 *     node scripts/write-docs.ts           writes them
 *     node scripts/write-docs.ts --check   fails when a file is not what would be written
 */
import { readFile, writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { alarmDocs } from './alarm-docs.ts';
import { costDocs } from './cost/cost-docs.ts';
import { readCounts } from './cost/counts.ts';
import { limitDocs } from './cost/limit-docs.ts';
import { shapeOfDavit } from './cost/stack-shape.ts';
import { errorDocs } from './error-docs.ts';
import { eventDocs } from './event-docs.ts';
import { metricDocs } from './metric-docs.ts';

const shape = shapeOfDavit();
const documents: Readonly<Record<string, () => string>> = {
  'docs/cost.md': () => costDocs(readCounts(), shape),
  'docs/errors.md': errorDocs,
  'docs/alarms.md': alarmDocs,
  'docs/events.md': eventDocs,
  'docs/limits.md': () => limitDocs(readCounts(), shape),
  'docs/metrics.md': metricDocs,
};

const { values } = parseArgs({ options: { check: { type: 'boolean', default: false } } });
for (const [name, text] of Object.entries(documents)) {
  const path = new URL(`../${name}`, import.meta.url);
  if (!values.check) {
    await writeFile(path, text());
  } else if ((await readFile(path, 'utf8')) !== text()) {
    process.stderr.write(`${name} is not what the tables in the code make: run \`npm run docs\`\n`);
    process.exitCode = 1;
  }
}

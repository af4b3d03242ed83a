/**
 * Writes the documents that are made of tables in the code.
 *
 *     npm run docs              writes them
 *     npm run docs -- --check   fails when a file is not what would be written
 */
import { readFile, writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { readRuns } from '../simulation/kept-runs.ts';
import { alarmDocs } from './alarm-docs.ts';
import { costDocs } from './cost/cost-docs.ts';
import { readCounts } from './cost/counts.ts';
import { limitDocs } from './cost/limit-docs.ts';
import { shapeOfDavit } from './cost/stack-shape.ts';
import { errorDocs } from './error-docs.ts';
import { eventDocs } from './event-docs.ts';
import { metricDocs } from './metric-docs.ts';
import { mutationDocs } from './mutation/mutation-docs.ts';
import { readResults } from './mutation/results.ts';
import { proofDocs, readKills, runsFile } from './proof/proof-docs.ts';

const shape = shapeOfDavit();
const mutationResults = await readResults();
const runs = await readRuns(runsFile);
const documents: Readonly<Record<string, () => string>> = {
  'docs/cost.md': () => costDocs(readCounts(), shape),
  'docs/errors.md': errorDocs,
  'docs/alarms.md': alarmDocs,
  'docs/events.md': eventDocs,
  'docs/limits.md': () => limitDocs(readCounts(), shape),
  'docs/metrics.md': metricDocs,
  'docs/mutation.md': () => mutationDocs(mutationResults),
  'docs/proof.md': () => proofDocs(runs, readKills()),
};

const usage = `npm run docs -- [options]

Writes the documents that are made of tables in the code: ${Object.keys(documents).join(', ')}.

  --check   write nothing; exit code 1 if a file is not what would be written
  --help    this text
`;

async function writeAll(): Promise<void> {
  for (const [name, text] of Object.entries(documents)) await writeFile(pathOf(name), text());
}

async function checkAll(): Promise<void> {
  for (const [name, text] of Object.entries(documents)) {
    if ((await readFile(pathOf(name), 'utf8')) === text()) continue;
    process.stderr.write(`${name} is not what the tables in the code make: run \`npm run docs\`\n`);
    process.exitCode = 1;
  }
}

function pathOf(name: string): URL {
  return new URL(`../${name}`, import.meta.url);
}

const flag = { type: 'boolean', default: false } as const;
const { values } = parseArgs({ options: { check: flag, help: flag } });
if (values.help) process.stdout.write(usage);
else await (values.check ? checkAll() : writeAll());

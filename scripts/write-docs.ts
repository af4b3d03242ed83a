/**
 * Writes the documents that are made of tables and schemas in the code.
 *
 *     npm run docs              writes them
 *     npm run docs -- --check   fails when a file is not what would be written
 */
import { readFile, writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { cliSections } from '../cli/cli-docs.ts';
import { githubAppHelp } from '../cli/github-app/arguments.ts';
import { createProgram } from '../cli/program.ts';
import { rbacHelp } from '../cli/rbac/arguments.ts';
import { processTerminal } from '../cli/terminal.ts';
import { configJsonSchema } from '../core/config/config-json-schema.ts';
import { demoHelp } from '../local/demo/arguments.ts';
import { runtimeHelp } from '../local/runtime/arguments.ts';
import { alarmSections } from './alarm-docs.ts';
import { conformanceTable } from './conformance-docs.ts';
import { constructSections } from './construct-docs.ts';
import { costParts } from './cost/cost-docs.ts';
import { readCounts } from './cost/counts.ts';
import { limitParts } from './cost/limit-docs.ts';
import { type StackShape, shapeOfDavit } from './cost/stack-shape.ts';
import { errorSections } from './error-docs.ts';
import { eventParts } from './event-docs.ts';
import { apiExamples, webhookExamples } from './github-examples.ts';
import { metricTables } from './metric-docs.ts';
import { openapiAnswer } from './openapi/openapi-docs.ts';
import { withParts } from './written-parts.ts';

// The synthesis takes longer than everything else here.
let synthesised: StackShape | undefined;
function shape(): StackShape {
  synthesised ??= shapeOfDavit();
  return synthesised;
}

const programHelps = new Map([
  ['demo', demoHelp],
  ['local', runtimeHelp],
  ['rbac', rbacHelp],
  ['github-app', githubAppHelp],
]);
/** The pages that people write, by the texts of the parts that this program writes. */
const pages: Readonly<Record<string, () => readonly string[]>> = {
  'docs/cost.md': () => costParts(readCounts(), shape()),
  'docs/limits.md': () => limitParts(readCounts(), shape()),
  'docs/errors.md': () => [errorSections()],
  'docs/alarms.md': () => [alarmSections()],
  'docs/conformance.md': () => [conformanceTable()],
  'docs/events.md': eventParts,
  'docs/metrics.md': metricTables,
  'docs/construct.md': () => [constructSections()],
  'docs/cli.md': () => [cliSections(createProgram(processTerminal(new AbortController().signal)), programHelps)],
};
const documents: Readonly<Record<string, () => string>> = {
  'functions/describe-api/openapi.json': openapiAnswer,
  'davit.schema.json': () => jsonText({ title: 'davit.yaml', ...configJsonSchema() }),
  'local/github/api-examples.json': () => jsonText(apiExamples(pathOf('local/github/').pathname)),
  'local/github/webhooks-examples.json': () => jsonText(webhookExamples()),
};

const usage = `npm run docs -- [options]

Writes the documents that are made of tables and schemas in the code: ${Object.keys(documents).join(', ')}.
Writes parts of ${Object.keys(pages).join(', ')}.

  --check   write nothing; exit code 1 if a file is not what would be written
  --help    this text
`;

/** Says what is in each file, and what is to be there. */
async function* files(): AsyncGenerator<{ name: string; there: string; wanted: string }> {
  for (const [name, text] of Object.entries(documents)) yield { name, there: await readText(name), wanted: text() };
  for (const [name, texts] of Object.entries(pages)) {
    const there = await readText(name);
    yield { name, there, wanted: withParts(there, ...texts()) };
  }
}

async function writeAll(): Promise<void> {
  for await (const { name, wanted } of files()) await writeFile(pathOf(name), wanted);
}

async function checkAll(): Promise<void> {
  for await (const { name, there, wanted } of files()) {
    if (there === wanted) continue;
    process.stderr.write(`${name} is not what the tables in the code make: run \`npm run docs\`\n`);
    process.exitCode = 1;
  }
}

function readText(name: string): Promise<string> {
  return readFile(pathOf(name), 'utf8');
}

function jsonText(value: object): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}

function pathOf(name: string): URL {
  return new URL(`../${name}`, import.meta.url);
}

const flag = { type: 'boolean', default: false } as const;
const { values } = parseArgs({ options: { check: flag, help: flag } });
if (values.help) process.stdout.write(usage);
else await (values.check ? checkAll() : writeAll());

/**
 * Writes the documents that are made of tables and schemas in the code.
 *
 *     npm run docs              writes them
 *     npm run docs -- --check   fails when a file is not what would be written
 */
import { readFile, writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { cliDocs } from '../cli/cli-docs.ts';
import { githubAppHelp } from '../cli/github-app/arguments.ts';
import { createProgram } from '../cli/program.ts';
import { rbacHelp } from '../cli/rbac/arguments.ts';
import { processTerminal } from '../cli/terminal.ts';
import { configJsonSchema } from '../core/config/config-json-schema.ts';
import { demoHelp } from '../local/demo/arguments.ts';
import { runtimeHelp } from '../local/runtime/arguments.ts';
import { alarmDocs } from './alarm-docs.ts';
import { conformanceDocs } from './conformance-docs.ts';
import { constructDocs } from './construct-docs.ts';
import { costDocs } from './cost/cost-docs.ts';
import { readCounts } from './cost/counts.ts';
import { limitDocs } from './cost/limit-docs.ts';
import { type StackShape, shapeOfDavit } from './cost/stack-shape.ts';
import { errorDocs } from './error-docs.ts';
import { eventDocs } from './event-docs.ts';
import { apiExamples, webhookExamples } from './github-examples.ts';
import { metricDocs } from './metric-docs.ts';
import { openapiAnswer } from './openapi/openapi-docs.ts';

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
const documents: Readonly<Record<string, () => string>> = {
  'docs/cost.md': () => costDocs(readCounts(), shape()),
  'docs/errors.md': errorDocs,
  'docs/alarms.md': alarmDocs,
  'docs/conformance.md': conformanceDocs,
  'docs/events.md': eventDocs,
  'docs/limits.md': () => limitDocs(readCounts(), shape()),
  'docs/metrics.md': metricDocs,
  'docs/construct.md': constructDocs,
  'functions/describe-api/openapi.json': openapiAnswer,
  'docs/cli.md': () => cliDocs(createProgram(processTerminal(new AbortController().signal)), programHelps),
  'davit.schema.json': () => jsonText({ title: 'davit.yaml', ...configJsonSchema() }),
  'local/github/api-examples.json': () => jsonText(apiExamples(pathOf('local/github/').pathname)),
  'local/github/webhooks-examples.json': () => jsonText(webhookExamples()),
};

const usage = `npm run docs -- [options]

Writes the documents that are made of tables and schemas in the code: ${Object.keys(documents).join(', ')}.

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

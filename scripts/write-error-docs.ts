/**
 * Writes docs/errors.md from the table of error codes.
 *
 *     node scripts/write-error-docs.ts           writes it
 *     node scripts/write-error-docs.ts --check   fails when the file is not what would be written
 */
import { readFile, writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import type { ErrorCodeEntry, ErrorFamily } from '../functions/domain/error-codes.ts';
import { errorCodes } from '../functions/domain/error-codes.ts';

const families: Record<ErrorFamily, string> = {
  terminal:
    'The launch fails, and what it made is removed. The code is the execution’s error, the `ending.code` of ' +
    '`GET /launches/{id}`, and in the function’s log.',
  pending:
    'Too early. The step is repeated until its deadline, and a launch fails only then, with a code that ends in ' +
    '`DeadlineExceeded`. Seen in logs and as the `signal` of `GET /launches/{id}`.',
  relaunch:
    'Infrastructure took the Pod before the agent had connected. The launch is tried again under a new agent name, at ' +
    'most the profile’s `maxRelaunches` times, and fails with the code after that.',
  transient: 'Something on the way failed. The step, or the caller, repeats a bounded number of times, backed off.',
};

function errorDocs(): string {
  const sections = Object.entries(families).map(([family, does]) => `## ${family}\n\n${does}\n\n${entries(family)}`);
  return [
    '# Error codes',
    '',
    '<!-- Written by scripts/write-error-docs.ts from functions/domain/error-codes.ts: change it there. -->',
    '',
    'Every error of davit starts with one of these codes, then says what happened, in the cluster’s own words where',
    'there are any, and names what it is about: launch, cluster, namespace, Service, Pod, container, image. A code is',
    'stable: alarm on it.',
    '',
    sections.join('\n'),
  ].join('\n');
}

function entries(family: string): string {
  const codes: [string, ErrorCodeEntry][] = Object.entries(errorCodes);
  return codes
    .filter(([, entry]) => entry.family === family)
    .map(([code, { means, advice }]) => `### ${code}\n\n${means}\n\n**What to do:** ${advice}\n`)
    .join('\n');
}

const path = new URL('../docs/errors.md', import.meta.url);
const { values } = parseArgs({ options: { check: { type: 'boolean', default: false } } });
if (!values.check) {
  await writeFile(path, errorDocs());
} else if ((await readFile(path, 'utf8')) !== errorDocs()) {
  process.stderr.write('docs/errors.md is not what the table of error codes makes: run `npm run docs`\n');
  process.exitCode = 1;
}

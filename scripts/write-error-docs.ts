/**
 * Writes docs/errors.md from the table of error codes.
 *
 *     node scripts/write-error-docs.ts           writes it
 *     node scripts/write-error-docs.ts --check   fails when the file is not what would be written
 */
import { readFile, writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { errorDocs } from './error-docs.ts';

const path = new URL('../docs/errors.md', import.meta.url);
const { values } = parseArgs({ options: { check: { type: 'boolean', default: false } } });
if (!values.check) {
  await writeFile(path, errorDocs());
} else if ((await readFile(path, 'utf8')) !== errorDocs()) {
  process.stderr.write('docs/errors.md is not what the table of error codes makes: run `npm run docs`\n');
  process.exitCode = 1;
}

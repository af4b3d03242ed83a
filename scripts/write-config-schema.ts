/**
 * Writes davit.schema.json, the JSON Schema with which editors check and complete davit.yaml.
 *
 *     npm run schema              writes it
 *     npm run schema -- --check   fails when the file is not what would be written
 */
import { readFile, writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { configJsonSchema } from '../config/config-json-schema.ts';

const path = new URL('../davit.schema.json', import.meta.url);
const schema = { title: 'davit.yaml', ...configJsonSchema() };
const text = `${JSON.stringify(schema, undefined, 2)}\n`;

const usage = `npm run schema -- [options]

Writes davit.schema.json, by which editors check davit.yaml and complete it.

  --check   write nothing; exit code 1 if the file is not what would be written
  --help    this text
`;

const flag = { type: 'boolean', default: false } as const;
const { values } = parseArgs({ options: { check: flag, help: flag } });
if (values.help) {
  process.stdout.write(usage);
} else if (!values.check) {
  await writeFile(path, text);
} else if ((await readFile(path, 'utf8')) !== text) {
  process.stderr.write("davit.schema.json is not what the config's schema makes: run `npm run schema`\n");
  process.exitCode = 1;
}

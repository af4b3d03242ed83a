/**
 * Writes the examples of GitHub's with which `local/github` answers, so that the demo need not read 17 MB for them.
 *
 *     npm run examples              writes them
 *     npm run examples -- --check   fails when a file is not what would be written
 */
import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { apiExamples, webhookExamples } from './github-examples.ts';

const usage = `npm run examples -- [options]

Writes local/github/api-examples.json and webhooks-examples.json, taken from GitHub's own examples.

  --check   write nothing; exit code 1 if a file is not what would be written
  --help    this text
`;

const folder = fileURLToPath(new URL('../local/github/', import.meta.url));

const flag = { type: 'boolean', default: false } as const;
const { values } = parseArgs({ options: { check: flag, help: flag } });
if (values.help) {
  process.stdout.write(usage);
} else {
  const files = { 'api-examples.json': apiExamples(folder), 'webhooks-examples.json': webhookExamples() };
  for (const [name, examples] of Object.entries(files)) {
    const text = `${JSON.stringify(examples, undefined, 2)}\n`;
    if (!values.check) {
      await writeFile(`${folder}${name}`, text);
    } else if ((await readFile(`${folder}${name}`, 'utf8')) !== text) {
      process.stderr.write(`local/github/${name} is not what GitHub's examples make: run \`npm run examples\`\n`);
      process.exitCode = 1;
    }
  }
}

import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { rootFolder } from '../../../cdk/bundling.ts';
import packageJson from '../../../package.json' with { type: 'json' };
import { proofs } from '../../../scripts/proofs.ts';

const run = promisify(execFile);

/** These commands run third-party tools with their own help. */
const tools = ['test', 'format', 'synth', 'docs:site'];
const scripts = Object.entries(packageJson.scripts).filter(([name]) => !tools.includes(name));
const own = [...scripts, ...Object.keys(proofs).map((name) => [`prove -- ${name}`, `node scripts/prove.ts ${name}`])];

test.concurrent.each(own)('npm run %s -- --help prints a description, and does nothing else', async (name, command) => {
  // PATH as npm sets it: the packages' programs, with this repository's Node among them.
  const PATH = `${join(rootFolder, 'node_modules/.bin')}:${process.env['PATH']}`;
  // If the command did more, the time-out would stop it before it finishes.
  const options = { cwd: rootFolder, env: { ...process.env, PATH }, timeout: 110_000 };

  const { stdout, stderr } = await run('sh', ['-c', `${command} --help`], options);

  expect(stdout).toMatch(new RegExp(`^npm run ${name}\\b[^\\n]*\\n\\n?[A-Z]`));
  expect(stderr).toBe('');
});

test('the contributing guide has a line about every command', async () => {
  const guide = await readFile(join(rootFolder, 'docs/contributing.md'), 'utf8');

  const names = [...Object.keys(packageJson.scripts), ...Object.keys(proofs).map((name) => `prove -- ${name}`)];
  expect(names.filter((name) => !new RegExp(`npm (run )?${name}\\b`).test(guide))).toEqual([]);
});

import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, jest, test } from '@jest/globals';
import { rootFolder } from '../../../cdk/bundling.ts';
import packageJson from '../../../package.json' with { type: 'json' };

jest.setTimeout(120_000);

const run = promisify(execFile);

/** These are other people's tools, which have a help of their own. */
const tools = ['test', 'format', 'synth'];
const own = Object.entries(packageJson.scripts).filter(([name]) => !tools.includes(name));

test.each(own)('npm run %s -- --help says what it does, and does nothing', async (name, command) => {
  // As npm finds the packages' programs, this repository's Node among them.
  const PATH = `${join(rootFolder, 'node_modules/.bin')}:${process.env['PATH']}`;
  // Were it to do something, it would be told to stop before it is through.
  const options = { cwd: rootFolder, env: { ...process.env, PATH }, timeout: 60_000 };

  const { stdout, stderr } = await run('sh', ['-c', `${command} --help`], options);

  expect(stdout).toMatch(new RegExp(`^npm run (--silent )?${name}\\b[^\\n]*\\n\\n[A-Z]`));
  expect(stderr).toBe('');
});

test('the contributing guide has a line about every command', async () => {
  const guide = await readFile(join(rootFolder, 'docs/contributing.md'), 'utf8');

  const names = Object.keys(packageJson.scripts);
  expect(names.filter((name) => !new RegExp(`npm (run )?${name}\\b`).test(guide))).toEqual([]);
});

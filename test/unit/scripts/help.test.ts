import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { rootFolder } from '../../../cdk/bundling.ts';
import packageJson from '../../../package.json' with { type: 'json' };
import { proofs } from '../../../scripts/proofs.ts';
import { type Help, helpsOf, type ProgramCommand } from './helps-of.ts';

const run = promisify(execFile);

/** These commands run third-party tools with their own help. */
const tools = ['test', 'format', 'synth', 'docs:site'];
const own = Object.entries(packageJson.scripts).filter(([name]) => !tools.includes(name));
const names = [...own.map(([name]) => name), ...Object.keys(proofs).map((name) => `prove -- ${name}`)];

const commandOf = (words: string): ProgramCommand[1] => {
  const [file = '', ...args] = words.split(' ');
  return [file, ...args];
};

let helps: Help[];
beforeAll(async () => {
  helps = await helpsOf([
    ...own.map(([name, words]): ProgramCommand => [name, commandOf(words.replace(/^node (-\S+ (\.\/\S+ )?)*/, ''))]),
    ...Object.entries(proofs).map(([name, { program }]): ProgramCommand => [`prove -- ${name}`, commandOf(program)]),
  ]);
});

test.each(names)('npm run %s -- --help prints a description, and does nothing else', (name) => {
  const { stdout, stderr } = helps.find((help) => help.name === name) ?? {};

  expect(stdout).toMatch(new RegExp(`^npm run ${name}\\b[^\\n]*\\n\\n?[A-Z]`));
  expect(stderr).toBe('');
});

test('npm run prove runs the proof of that name', async () => {
  // PATH as npm sets it: the packages' programs, with this repository's Node among them.
  const PATH = `${join(rootFolder, 'node_modules/.bin')}:${process.env['PATH']}`;
  const options = { cwd: rootFolder, env: { ...process.env, PATH } };

  const { stdout, stderr } = await run('sh', ['-c', `${packageJson.scripts.prove} chaos --help`], options);

  expect({ stdout, stderr }).toEqual({
    stdout: helps.find(({ name }) => name === 'prove -- chaos')?.stdout,
    stderr: '',
  });
});

test('the contributing guide has a line about every command', async () => {
  const guide = await readFile(join(rootFolder, 'docs/contributing.md'), 'utf8');

  expect([...tools, ...names].filter((name) => !new RegExp(`npm (run )?${name}\\b`).test(guide))).toEqual([]);
});

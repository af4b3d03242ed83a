import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCli } from '../../../cli/run-cli.ts';
import { recordingTerminal } from '../../support/recording-terminal.ts';

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'davit-init-'))));
afterEach(() => rmSync(folder, { recursive: true }));

async function init(...args: string[]) {
  const terminal = recordingTerminal();
  const exitCode = await runCli(['init', '--config', join(folder, 'davit.yaml'), ...args], terminal);
  return { exitCode, output: [...terminal.lines, ...terminal.notes].join('\n') };
}

test('davit init writes a davit.yaml that names its schema, and the schema', async () => {
  await init('--ci', 'github', '--app', '1234567', '--eks', 'builds');

  const text = readFileSync(join(folder, 'davit.yaml'), 'utf8');
  expect(text).toMatch(/^# yaml-language-server: \$schema=\.\/davit\.schema\.json\n/);
  expect(text).toMatch(/\n {4}app:\n {6}id: 1234567\n/);
  expect(readFileSync(join(folder, 'davit.schema.json'), 'utf8')).toBe(readFileSync('davit.schema.json', 'utf8'));
});

test('a schema that is there stays', async () => {
  writeFileSync(join(folder, 'davit.schema.json'), 'mine');

  await init('--ci', 'standard', '--sandbox');

  expect(readFileSync(join(folder, 'davit.schema.json'), 'utf8')).toBe('mine');
});

test('a kubeconfig that cannot be read is named', async () => {
  const before = process.env['KUBECONFIG'];
  process.env['KUBECONFIG'] = join(folder, 'none');
  try {
    expect(await init('--ci', 'standard', '--context', 'builds')).toMatchObject({
      exitCode: 2,
      output: expect.stringMatching(/kubeconfig-invalid: the kubeconfig cannot be read: .*none/),
    });
  } finally {
    if (before === undefined) delete process.env['KUBECONFIG'];
    else process.env['KUBECONFIG'] = before;
  }
});

test('an id that is none is named', async () => {
  expect(await init('--ci', 'github', '--app', 'Iv1.abc', '--eks', 'builds')).toMatchObject({
    exitCode: 2,
    output: expect.stringMatching(/--app: expected the number that GitHub shows as App ID, found Iv1\.abc/),
  });
});

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { startLoopbackServer } from '../../../../local/loopback-server.ts';
import { newFolder } from '../../../support/new-folder.ts';

const required = ['--org', 'acme', '--webhook-url', 'https://davit.example/webhooks/github'];
let folder: string;

beforeEach(() => (folder = newFolder()));

function start(...args: string[]): ChildProcess {
  return spawn(process.execPath, ['cli/github-app.ts', ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
}

async function ended(child: ChildProcess): Promise<{ code: number; stdout: string; stderr: string }> {
  const [stdout, stderr, [code]] = await Promise.all([
    child.stdout === null ? '' : text(child.stdout),
    child.stderr === null ? '' : text(child.stderr),
    once(child, 'exit'),
  ]);
  return { code, stdout, stderr };
}

test.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)('%s ends the wait and leaves nothing', async (signal, expected) => {
  const child = start(...required, '--out', join(folder, 'secrets'));
  child.stdout?.once('data', () => child.kill(signal));

  const { code, stderr } = await ended(child);

  expect([code, stderr]).toEqual([expected, 'Stopped: no App was made.\n']);
  expect(await readdir(folder)).toEqual([]);
});

test('--print prints the manifest and makes nothing', async () => {
  const { code, stdout } = await ended(start(...required, '--print', '--out', join(folder, 'secrets')));

  expect(code).toBe(0);
  expect(JSON.parse(stdout)).not.toHaveProperty('redirect_url');
  expect(await readdir(folder)).toEqual([]);
});

test('a port that is taken is an exit code of 2, and leaves nothing', async () => {
  await using taken = await startLoopbackServer(() => undefined);

  const { code, stderr } = await ended(start(...required, '--out', join(folder, 'secrets'), '--port', `${taken.port}`));

  expect([code, stderr]).toEqual([2, expect.stringMatching(/^--port: listen EADDRINUSE.*\n$/)]);
  expect(await readdir(folder)).toEqual([]);
});

test('the manifest of which nobody reads more is no error', async () => {
  const child = start(...required, '--print', '--out', join(folder, 'secrets'));
  child.stdout?.destroy();

  const [stderr, [code]] = await Promise.all([child.stderr === null ? '' : text(child.stderr), once(child, 'exit')]);

  expect([code, stderr]).toEqual([0, '']);
});

test('a wrong argument is an exit code of 2 and its reason', async () => {
  const { code, stdout, stderr } = await ended(start());

  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toBe('--org: expected the name of an organization\n');
});

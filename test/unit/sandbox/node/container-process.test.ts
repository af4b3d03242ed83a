import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startProcess } from '../../../../sandbox/node/container-process.ts';
import { hasProcesses } from '../../../../sandbox/node/process-group.ts';
import { type ProcessGuard, processGuard } from '../../../../sandbox/node/process-guard.ts';
import { newFolder } from '../../../support/new-folder.ts';

let directory = '';
let guard: ProcessGuard;
beforeEach(() => {
  directory = newFolder();
  guard = processGuard();
});
afterEach(async () => {
  await guard.close();
});

/** Runs a command, and waits for its first line of output. */
async function start(...command: string[]) {
  const firstOutput = Promise.withResolvers<string>();
  const output: string[] = [];
  const onOutput = (_stream: string, chunk: Buffer) => {
    output.push(chunk.toString());
    firstOutput.resolve(chunk.toString());
  };
  const environment = { PATH: process.env['PATH'] ?? '', OWN: 'yes' };
  const started = await startProcess({ command, environment, directory, onOutput }, guard);
  return { ...started, output, firstOutput: firstOutput.promise };
}

test('a process has its own directory and only its own environment', async () => {
  const { ended, output } = await start('sh', '-c', 'pwd; echo $OWN; echo "[$HOME]"; echo oops >&2; exit 3');

  expect(await ended).toEqual({ code: 3 });
  expect(output.join('').split('\n').sort()).toEqual(['', '[]', directory, 'oops', 'yes'].sort());
});

test('a killed process reports its signal', async () => {
  const { ended, firstOutput, ...started } = await start('sh', '-c', 'echo up; exec sleep 60');
  await firstOutput;

  started.signal('SIGTERM');

  expect(await ended).toEqual({ code: null, signalNumber: 15 });
});

test("a process's remaining children end with it", async () => {
  const { ended, firstOutput } = await start('sh', '-c', 'sleep 60 & echo $$');
  const group = Number(await firstOutput);

  await ended;

  // Killed processes disappear only when their new parent has reaped them.
  while (hasProcesses(group)) {
    await sleep(10);
  }
});

const runc =
  'failed to create containerd task: failed to create shim task: OCI runtime create failed: runc create failed: ' +
  'unable to start container process: error during container init: ';

test("a command that does not exist, or is not executable, is refused in containerd's words", async () => {
  writeFileSync(join(directory, 'plain'), '', { mode: 0o644 });
  const refusals = [
    ['no-such-command', 'exec: "no-such-command": executable file not found in $PATH: unknown'],
    ['/no/such/file', 'exec: "/no/such/file": stat /no/such/file: no such file or directory: unknown'],
    ['./plain', 'exec: "./plain": permission denied: unknown'],
    ['a\0b', 'exec: "a\0b": invalid argument: unknown'],
  ] as const;

  for (const [command, words] of refusals) {
    await expect(start(command)).rejects.toMatchObject({ name: 'StartError', message: `${runc}${words}` });
  }
});

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { hasProcesses } from '../../../../sandbox/node/process-group.ts';
import { newFolder } from '../../../support/new-folder.ts';

const node = new URL('../../../../sandbox/node/', import.meta.url);

/** A program that starts two process groups, one of which ignores SIGTERM, and prints their ids. */
const runtime = (directory: string) => `
  import { startProcess } from '${new URL('container-process.ts', node).href}';
  import { processGuard } from '${new URL('process-guard.ts', node).href}';
  const guard = processGuard();
  for (const script of ['echo $$; exec sleep 60', 'trap "" TERM; echo $$; while true; do sleep 1; done']) {
    const onOutput = (stream, chunk) => console.log(chunk.toString().trim());
    const environment = { PATH: process.env.PATH };
    await startProcess({ command: ['sh', '-c', script], environment, directory: '${directory}', onOutput }, guard);
  }
  setInterval(() => undefined, 60_000);
`;

test('kill -9 of the program that started them ends all its process groups, even those that ignore SIGTERM', async () => {
  const directory = newFolder();
  const program = spawn(process.execPath, ['--input-type=module', '--eval', runtime(directory)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: program.stdout })[Symbol.asyncIterator]();
  const groups = [Number((await lines.next()).value), Number((await lines.next()).value)];
  expect(groups.map(hasProcesses)).toEqual([true, true]);

  const ended = once(program, 'exit');
  program.kill('SIGKILL');
  await ended;

  while (groups.some(hasProcesses)) {
    await sleep(20);
  }
}, 30_000);

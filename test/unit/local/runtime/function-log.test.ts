import { mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openFunctionLog } from '../../../../local/runtime/function-log.ts';

test('each function has its own file, and a restart appends to it', async () => {
  const directory = join(await mkdtemp(join(tmpdir(), 'davit-logs-')), 'logs');

  for (const line of ['first\n', 'second\n']) {
    const log = openFunctionLog(directory);
    log.write('webhook', line);
    log.write('connect', 'other\n');
    log.close();
  }

  expect(await readFile(join(directory, 'webhook.log'), 'utf8')).toBe('first\nsecond\n');
  expect(await readFile(join(directory, 'connect.log'), 'utf8')).toBe('other\nother\n');
});

import { mkdir, readFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { openFunctionLog } from '../../../../local/runtime/function-log.ts';
import { newFolder } from '../../../support/new-folder.ts';

const newDirectory = async () => join(newFolder(), 'logs');

test('each function has its own file, and a restart appends to it', async () => {
  const directory = await newDirectory();

  for (const line of ['first\n', 'second\n']) {
    const log = openFunctionLog(directory);
    log.write('webhook', line);
    log.write('connect', 'other\n');
    log.close();
  }

  expect(await readFile(join(directory, 'webhook.log'), 'utf8')).toBe('first\nsecond\n');
  expect(await readFile(join(directory, 'connect.log'), 'utf8')).toBe('other\nother\n');
});

test('a file that has become large is kept beside a new one, and the one before it is dropped', async () => {
  const directory = await newDirectory();
  const log = openFunctionLog(directory, { mostBytes: 10 });

  for (const line of ['first 10 b\n', 'second 10 \n', 'third\n', 'fourth\n']) log.write('webhook', line);
  log.close();

  expect(await readFile(join(directory, 'webhook.log'), 'utf8')).toBe('third\nfourth\n');
  expect(await readFile(join(directory, 'webhook.log.1'), 'utf8')).toBe('second 10 \n');
});

test('a function goes on when the disk is full, and what it would log is dropped', async () => {
  const directory = await newDirectory();
  await mkdir(directory);
  await symlink('/dev/full', join(directory, 'webhook.log'));
  const log = openFunctionLog(directory);

  expect(() => log.write('webhook', 'line\n')).not.toThrow();
  log.write('connect', 'other\n');
  log.close();

  expect(await readFile(join(directory, 'connect.log'), 'utf8')).toBe('other\n');
});

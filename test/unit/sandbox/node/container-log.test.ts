import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ContainerLog } from '../../../../sandbox/node/container-log.ts';
import type { LogOptions } from '../../../../sandbox/pod-logs.ts';
import { newFolder } from '../../../support/new-folder.ts';

const plain: LogOptions = { container: 'main', follow: false, previous: false, timestamps: false };

let directory = '';
let path = '';
let nowEpochMs = 0;
let log: ContainerLog;
beforeEach(() => {
  directory = newFolder();
  path = join(directory, 'main.log');
  nowEpochMs = Date.UTC(2026, 0, 1);
  log = new ContainerLog(path, () => nowEpochMs);
});
afterEach(() => {
  log.close();
});

const write = (text: string) => log.write('stdout', Buffer.from(text));

async function read(options: Partial<LogOptions> = {}): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of log.read({ ...plain, ...options })) {
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString();
}

test("lines are written in a container runtime's format, however the output is split", () => {
  write('on');
  log.write('stderr', Buffer.from('oops\n'));
  write('e\ntwo\n');

  expect(readFileSync(path, 'utf8')).toBe(
    '2026-01-01T00:00:00.000000000Z stderr F oops\n' +
      '2026-01-01T00:00:00.000000000Z stdout F one\n' +
      '2026-01-01T00:00:00.000000000Z stdout F two\n',
  );
});

test('a log is read whole, by its tail, by age, by size and with times', async () => {
  write('one\n');
  nowEpochMs += 60_000;
  write('two\nthree\n');

  expect(await read()).toBe('one\ntwo\nthree\n');
  expect(await read({ tailLines: 1 })).toBe('three\n');
  expect(await read({ tailLines: 0 })).toBe('');
  expect(await read({ sinceSeconds: 30 })).toBe('two\nthree\n');
  expect(await read({ limitBytes: 6 })).toBe('one\ntw');
  expect(await read({ tailLines: 1, timestamps: true })).toBe('2026-01-01T00:01:00.000000000Z three\n');
});

test('a follower gets new lines until the container ends', async () => {
  write('one\n');

  const followed = read({ follow: true });
  write('two\n');
  write('no newline');
  log.close();

  expect(await followed).toBe('one\ntwo\nno newline');
  log = new ContainerLog(path, () => nowEpochMs);
});

test('a line that is longer than an entry is read unchanged', async () => {
  const long = 'x'.repeat(40_000);

  write(`${long}\nnext\n`);

  expect(await read()).toBe(`${long}\nnext\n`);
});

test('a character that is split between two chunks is whole in the log', async () => {
  const euro = Buffer.from('€\n');

  log.write('stdout', euro.subarray(0, 2));
  log.write('stdout', euro.subarray(2));

  expect(await read()).toBe('€\n');
});

test('a container on a full disk goes on, and its output is dropped', () => {
  const full = new ContainerLog('/dev/full', () => nowEpochMs);

  expect(() => full.write('stdout', Buffer.from('one\n'))).not.toThrow();
  full.close();
});

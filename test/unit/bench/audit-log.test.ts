import { appendFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openAuditLog } from '../../prove/bench/audit-log.ts';

let directory: string;
let path: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'davit-audit-log-'));
  path = join(directory, 'audit.log');
});
afterEach(() => rm(directory, { recursive: true }));

function line(username: string, about: object = {}): string {
  const event = {
    verb: 'create',
    requestURI: '/api/v1/namespaces/agents/pods',
    user: { username },
    objectRef: { resource: 'pods', name: 'agent-1' },
    responseStatus: { code: 201 },
    requestReceivedTimestamp: '1970-01-01T00:00:01.000250Z',
    stageTimestamp: '1970-01-01T00:00:01.002500Z',
    ...about,
  };
  return `${JSON.stringify(event)}\n`;
}

test('the log is read from the position at its opening, and for one user only', async () => {
  await writeFile(path, line('davit'));
  const log = await openAuditLog(path);
  await appendFile(path, line('somebody') + line('davit', { verb: 'get' }));

  const calls = await log.read('davit');

  expect(calls).toEqual([
    {
      user: 'davit',
      verb: 'get',
      resource: 'pods',
      name: 'agent-1',
      status: 201,
      startEpochMs: 1000.25,
      endEpochMs: 1002.5,
    },
  ]);
});

test('a half-written line is read when it is whole, and once', async () => {
  await writeFile(path, '');
  const log = await openAuditLog(path);
  const whole = line('davit');
  await appendFile(path, whole.slice(0, 50));
  const early = await log.read('davit');
  await appendFile(path, whole.slice(50));

  expect([early.length, (await log.read('davit')).length, (await log.read('davit')).length]).toEqual([0, 1, 0]);
});

test('a watch of one object names that object', async () => {
  await writeFile(path, '');
  const log = await openAuditLog(path);
  const requestURI = '/api/v1/namespaces/agents/pods?watch=true&fieldSelector=metadata.name%3Dagent-2';
  await appendFile(path, line('davit', { verb: 'watch', requestURI, objectRef: { resource: 'pods' } }));

  expect((await log.read('davit')).map(({ verb, name }) => [verb, name])).toEqual([['watch', 'agent-2']]);
});

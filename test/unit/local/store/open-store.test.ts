import { fork } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openStore, removeExpired, storeFile } from '../../../../local/store/open-store.ts';
import { readEvents, readSecret } from '../../../../local/store/read-store.ts';
import { sqliteLaunches } from '../../../../local/store/sqlite-launches.ts';
import { sqliteSecrets } from '../../../../local/store/sqlite-secrets.ts';
import { endingOf, recordOf } from '../../../contract/launch-fixtures.ts';
import { newFolder } from '../../../support/new-folder.ts';

let directory: string;
let file: string;
beforeEach(() => {
  directory = newFolder();
  file = join(directory, storeFile);
});

test('a write happens as a whole or not at all', () => {
  using store = openStore(':memory:');
  const count = () => store.sql.get`SELECT count(*) AS count FROM event`?.['count'];

  expect(() =>
    store.write(() => {
      store.sql.run`INSERT INTO event (body) VALUES ('{}')`;
      store.write(() => store.sql.run`INSERT INTO event (body) VALUES ('{}')`);
      throw new Error('in the middle');
    }),
  ).toThrow('in the middle');

  expect(count()).toBe(0);
});

test('what SQLite refuses is a store that does not answer', () => {
  using store = openStore(':memory:');

  expect(() => store.read(() => store.sql.get`SELECT * FROM nothing`)).toThrow(
    expect.objectContaining({ name: 'TransientError', code: 'StoreUnavailable' }),
  );
});

test('a second process is refused, and takes over as soon as the first is killed', async () => {
  const holder = fork(fileURLToPath(new URL('./hold-store.ts', import.meta.url)), [file]);
  await once(holder, 'message');

  expect(() => openStore(file)).toThrow(`another davit uses ${file}`);
  holder.kill('SIGKILL');
  await once(holder, 'exit');

  using store = openStore(file);
  expect(await sqliteLaunches(store).get('job')).toEqual(recordOf('job'));
});

test('programs of the same user read events and secrets while davit runs', () => {
  using store = openStore(file);
  sqliteSecrets(store).put('ci/token', 'secret');
  store.sql.run`INSERT INTO event (body) VALUES ('{"a":1}')`;

  using events = readEvents(directory);
  const first = events.next();
  store.sql.run`INSERT INTO event (body) VALUES ('{"a":2}')`;

  expect([first, events.next(), events.next()]).toEqual([['{"a":1}'], ['{"a":2}'], []]);
  expect(readSecret(directory, 'ci/token')).toBe('secret');
  expect(() => readSecret(directory, 'no-such')).toThrow('secret no-such: there is none');
});

test('what has expired is removed, and nothing else', async () => {
  using store = openStore(':memory:');
  const launches = sqliteLaunches(store);
  await launches.request(recordOf('old'));
  await launches.request({ ...recordOf('new'), expiresAtEpochSeconds: recordOf('new').expiresAtEpochSeconds + 10 });

  removeExpired(store, (recordOf('old').expiresAtEpochSeconds + 5) * 1000);

  expect(await launches.get('old')).toBeUndefined();
  expect(await launches.get('new')).toMatchObject({ launchId: 'new' });
});

test('a launch is read anew when another reader of the store has written it, and not before', async () => {
  using store = openStore(':memory:');
  const [launches, others] = [sqliteLaunches(store), sqliteLaunches(store)];
  await launches.request(recordOf('job'));
  const before = await launches.get('job');

  expect(await launches.get('job')).toBe(before);
  await others.end('job', endingOf());

  expect([before, await launches.get('job')]).toMatchObject([{ status: 'launching' }, { status: 'cleaning' }]);
});

test('a secret keeps the version before, and a repeat makes no version', async () => {
  using store = openStore(':memory:');
  let nowEpochMs = 1_767_225_600_000;
  const secrets = sqliteSecrets(store, () => nowEpochMs);

  for (const text of ['first', 'second', 'second', 'third']) {
    secrets.put('key', text);
    nowEpochMs += 60_000;
  }

  expect(secrets.get('key')).toBe('third');
  expect((await secrets.signing('key').accepted()).map(({ text }) => text)).toEqual(['third', 'second']);
  await expect(secrets.read('no-such')).rejects.toMatchObject({ name: 'TerminalError', code: 'SecretMissing' });
});

describe('a file that cannot be opened is named, with the reason', () => {
  test.each(['davit.sqlite', 'davit.sqlite.lock'])('another program has written %s', async (name) => {
    await writeFile(join(directory, name), 'not a database, but some text of another program');

    expect(() => openStore(join(directory, 'davit.sqlite'))).toThrow(
      `${join(directory, name)}: file is not a database`,
    );
  });

  test('its folder is not there', () => {
    const path = join(directory, 'none', 'davit.sqlite');

    expect(() => openStore(path)).toThrow(`${path}.lock: unable to open database file`);
  });
});

import { createDynamoPollCursors } from '../../adapters/aws/create-dynamo-poll-cursors.ts';
import { jobsTable } from '../../adapters/aws/table-definitions.ts';
import { openStore } from '../../local/store/open-store.ts';
import { sqlitePollCursors } from '../../local/store/sqlite-ci-memory.ts';
import type { PollCursors } from '../../ports/poll-cursors.ts';
import { startDynamoDb } from '../support/start-dynamo-db.ts';

const database = await startDynamoDb();
afterAll(() => database.stop());

const adapters: [string, () => Promise<PollCursors>][] = [
  ['SQLite', async () => sqlitePollCursors(openStore(':memory:'))],
  ['DynamoDB', async () => createDynamoPollCursors(await database.createTable(jobsTable))],
];
const running = { jobKey: 'jenkins/1/2/1', runner: { id: 3, name: 'davit-0a1b2c3d-jenkins-1-2-1' } };

test.each(adapters)('the latest cursor of each CI system is kept (%s)', async (_name, make) => {
  const cursors = await make();

  await cursors.keep('jenkins', { open: [{ jobKey: 'jenkins/1/2/1' }] });
  await cursors.keep('jenkins', { open: [running, { jobKey: 'jenkins/1/3/1' }] });
  await cursors.keep('jenkins', { open: [running, { jobKey: 'jenkins/1/3/1' }] });
  await cursors.keep('other', { open: [] });

  expect(await cursors.get('jenkins')).toEqual({ open: [running, { jobKey: 'jenkins/1/3/1' }] });
  expect(await cursors.get('other')).toEqual({ open: [] });
  expect(await cursors.get('none')).toBeUndefined();
});

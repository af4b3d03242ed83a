import { createDynamoPollCursors } from '../../adapters/aws/create-dynamo-poll-cursors.ts';
import { jobsTable } from '../../adapters/aws/table-definitions.ts';
import { storedPart } from '../../core/ci/poll-cursor.ts';
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

  const first = await cursors.keep('jenkins', { open: [{ jobKey: 'jenkins/1/2/1' }] }, 0);
  const second = await cursors.keep('jenkins', { open: [running, { jobKey: 'jenkins/1/3/1' }] }, 1);
  const other = await cursors.keep('other', { open: [] }, 0);

  expect([first, second, other]).toEqual([1, 2, 1]);
  expect(await cursors.get('jenkins')).toEqual({
    cursor: { open: [running, { jobKey: 'jenkins/1/3/1' }] },
    revision: 2,
  });
  expect(await cursors.get('other')).toEqual({ cursor: { open: [] }, revision: 1 });
  expect(await cursors.get('none')).toEqual({ cursor: { open: [] }, revision: 0 });
});

test.each(adapters)('of two polls that overlap, the first one stores its cursor (%s)', async (_name, make) => {
  const cursors = await make();

  const first = await cursors.keep('jenkins', { open: [running] }, 0);
  const second = await cursors.keep('jenkins', { open: [] }, 0);
  const third = await cursors.keep('jenkins', { open: [running, { jobKey: 'jenkins/1/3/1' }] }, 1);
  const fourth = await cursors.keep('jenkins', { open: [] }, 1);

  expect([first, second, third, fourth]).toEqual([1, undefined, 2, undefined]);
  expect(await cursors.get('jenkins')).toMatchObject({ cursor: { open: [running, {}] }, revision: 2 });
});

test.each(adapters)(
  'the cursor of thousands of running jobs fits, however long their names are (%s)',
  async (_name, make) => {
    const cursors = await make();
    const open = Array.from({ length: 4000 }, (_, index) => {
      const job = `jenkins-prod-281474976710655-${8_000_000_000_000_000 + index}-9999`;
      return {
        jobKey: job.replaceAll('-', '/'),
        runner: { id: 281_474_976_710_655 - index, name: `davit-0a1b2c3d-${job}` },
      };
    });
    const unseen = open.map(({ runner }) => runner.id);

    const kept = await cursors.keep('jenkins-prod', storedPart({ open, unseen }), 0);

    expect(kept).toBe(1);
  },
);

import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { createDynamoClusterStates } from '../../adapters/aws/create-dynamo-cluster-states.ts';
import { createDynamoJobs } from '../../adapters/aws/create-dynamo-jobs.ts';
import { createDynamoLostJobs } from '../../adapters/aws/create-dynamo-lost-jobs.ts';
import { type DynamoTable, getItem, type Item } from '../../adapters/aws/dynamo-table.ts';
import { clustersTable, jobsTable } from '../../adapters/aws/table-definitions.ts';
import { jobKeyOf } from '../../core/job/job-id.ts';
import { lostJobKeyOf } from '../../core/job/lost-job.ts';
import { openStore, type Store } from '../../local/store/open-store.ts';
import { jsonOf } from '../../local/store/rows.ts';
import { sqliteLostJobs } from '../../local/store/sqlite-ci-memory.ts';
import { sqliteClusterStates } from '../../local/store/sqlite-cluster-states.ts';
import { sqliteJobs } from '../../local/store/sqlite-jobs.ts';
import type { ClusterStates } from '../../ports/cluster-states.ts';
import type { Jobs } from '../../ports/jobs.ts';
import type { LostJobs } from '../../ports/lost-jobs.ts';
import { lostJob } from '../support/lost-job.ts';
import { queuedAtEpochMs as now, seenJob } from '../support/seen-job.ts';
import { startDynamoDb } from '../support/start-dynamo-db.ts';

const database = await startDynamoDb();
afterAll(() => database.stop());

/** What a later version of davit adds to a record, which this one does not know. */
const addedLater = { newField: { any: true } };

const works = { cluster: 'eu-1', kind: 'works', endedAtEpochMs: now } as const;
const seenByJobs = (jobs: Jobs) => [
  () => jobs.note(seenJob(), now),
  () => jobs.claimLaunch(seenJob(), 0, 'gitea-7-8-1', now),
  () => jobs.noteNotLaunched(seenJob(), 'no profile'),
];
const seenByStates = (states: ClusterStates) => [
  () => states.report(works),
  () => states.report({ cluster: 'eu-1', kind: 'launching', atEpochMs: now }),
];
const claim = { by: 'one', atEpochMs: now, untilEpochMs: now + 1000 };
const seenByLost = (lost: LostJobs) => [
  () => lost.note(lostJob()),
  () => lost.claim(lostJob(), claim),
  () => lost.settle(lostJob(), 'asked'),
];

/** A record in a store, and commands that each change it. */
interface Stored {
  commands: (() => Promise<unknown>)[];
  read: () => Promise<Item>;
  /** Adds what a later version knows. */
  extend: () => Promise<void>;
}

const inDynamoDb = (table: DynamoTable, key: Item, commands: Stored['commands']): Stored => ({
  commands,
  read: async () => (await getItem(table, key)) ?? {},
  extend: async () => {
    const item = { ...(await getItem(table, key)), ...addedLater };
    await table.client.send(new PutCommand({ TableName: table.tableName, Item: item }));
  },
});

const inSqlite = (store: Store, name: 'job' | 'cluster' | 'lost_job', commands: Stored['commands']): Stored => {
  const { sql } = store;
  const rows = {
    job: () => sql.get`SELECT item FROM job`,
    cluster: () => sql.get`SELECT item FROM cluster`,
    lost_job: () => sql.get`SELECT item FROM lost_job`,
  };
  const text = JSON.stringify(addedLater);
  const extend = {
    job: () => sql.run`UPDATE job SET item = json_patch(item, ${text})`,
    cluster: () => sql.run`UPDATE cluster SET item = json_patch(item, ${text})`,
    lost_job: () => sql.run`UPDATE lost_job SET item = json_patch(item, ${text})`,
  };
  return {
    commands,
    read: async () => Object(jsonOf(rows[name]() ?? {}, 'item')),
    extend: async () => void extend[name](),
  };
};

const kinds: Record<string, () => Promise<Stored>> = {
  'a job in DynamoDB': async () => {
    const table = await database.createTable(jobsTable);
    const key = { partition: jobKeyOf(seenJob()), item: 'job' };
    return inDynamoDb(table, key, seenByJobs(createDynamoJobs(table)));
  },
  'a cluster in DynamoDB': async () => {
    const table = await database.createTable(clustersTable);
    return inDynamoDb(table, { cluster: 'eu-1' }, seenByStates(createDynamoClusterStates(table)));
  },
  'a lost job in DynamoDB': async () => {
    const table = await database.createTable(jobsTable);
    const key = { partition: 'gitea/lost', item: lostJobKeyOf(lostJob()) };
    return inDynamoDb(table, key, seenByLost(createDynamoLostJobs(table)));
  },
  'a job in SQLite': async () => {
    const store = openStore(':memory:');
    return inSqlite(store, 'job', seenByJobs(sqliteJobs(store)));
  },
  'a cluster in SQLite': async () => {
    const store = openStore(':memory:');
    return inSqlite(store, 'cluster', seenByStates(sqliteClusterStates(store)));
  },
  'a lost job in SQLite': async () => {
    const store = openStore(':memory:');
    return inSqlite(store, 'lost_job', seenByLost(sqliteLostJobs(store)));
  },
};

test.each(Object.entries(kinds))('the record of %s keeps what only a later version knows', async (_name, make) => {
  const { commands, read, extend } = await make();
  await commands[0]?.();
  await extend();

  for (const command of commands.slice(1)) await command();

  expect(await read()).toMatchObject(addedLater);
});

test.each(Object.entries(kinds))('a command to %s that changes nothing writes nothing', async (_name, make) => {
  const { commands, read } = await make();
  for (const command of commands) {
    await command();
    const before = await read();
    await command();
    expect(await read()).toEqual(before);
  }
});

test.each(Object.entries(kinds))(
  'each write of %s has the next revision, and the name of its command',
  async (_name, make) => {
    const { commands, read } = await make();
    const written: Item[] = [];
    for (const command of commands) {
      await command();
      written.push(await read());
    }

    const revisions = written.map(({ revision }) => Number(revision));
    expect(revisions.map((revision) => revision - (revisions[0] ?? 0))).toEqual(commands.map((_, index) => index));
    expect(new Set(written.map(({ command }) => command)).size).toBe(commands.length);
  },
);

import { createDynamoPollTurns } from '../../adapters/aws/create-dynamo-poll-turns.ts';
import { jobsTable } from '../../adapters/aws/table-definitions.ts';
import { openStore } from '../../local/store/open-store.ts';
import { sqlitePollTurns } from '../../local/store/sqlite-ci-memory.ts';
import type { PollTurns } from '../../ports/poll-turns.ts';
import { startDynamoDb } from '../support/start-dynamo-db.ts';
import { epochMs } from './launch-fixtures.ts';

const database = await startDynamoDb();
afterAll(() => database.stop());

const adapters: [string, () => Promise<PollTurns>][] = [
  ['SQLite', async () => sqlitePollTurns(openStore(':memory:'))],
  ['DynamoDB', async () => createDynamoPollTurns(await database.createTable(jobsTable))],
];

describe.each(adapters)('the turns of polls (%s)', (_name, make) => {
  test('are now for the first event, two seconds later for the next ones, once, and each CI system has its own', async () => {
    const turns = await make();
    const take = (afterMs: number, ciSystem = 'kite') => turns.take(ciSystem, epochMs + afterMs);

    expect([await take(0), await take(10), await take(20), await take(1999)]).toEqual([
      epochMs,
      epochMs + 2000,
      undefined,
      undefined,
    ]);
    expect(await take(30, 'forge')).toBe(epochMs + 30);
    expect([await take(2001), await take(2002)]).toEqual([epochMs + 4000, undefined]);
    expect(await take(60_000)).toBe(epochMs + 60_000);
  });

  test('are two for a burst of events at once, of which the second begins after the last event', async () => {
    const turns = await make();

    const taken = await Promise.all(Array.from({ length: 30 }, () => turns.take('kite', epochMs)));

    expect(taken.filter((turn) => turn !== undefined)).toEqual([epochMs, epochMs + 2000]);
  });

  test('are now again if a wrong clock has taken one far ahead', async () => {
    const turns = await make();
    await turns.take('kite', epochMs + 3_600_000);

    expect(await turns.take('kite', epochMs)).toBe(epochMs);
  });
});

import { createDynamoToldJobs } from '../../adapters/aws/create-dynamo-told-jobs.ts';
import type { CommitReport } from '../../core/job/commit-report.ts';
import { sqliteToldJobs } from '../../local/store/sqlite-ci-memory.ts';
import { commitReport } from '../support/commit-report.ts';
import { startDatabases } from './databases.ts';

const twenty = Array.from({ length: 20 }, (_, index) => index);

const { inEach } = await startDatabases();

describe.each(inEach(sqliteToldJobs, createDynamoToldJobs))('told jobs (%s)', (_name, makeToldJobs) => {
  test('a report is listed until it is withdrawn, for its own CI system', async () => {
    const told = await makeToldJobs();
    const [first, second] = [
      commitReport(),
      commitReport({ jobKey: 'gitea/7/9/1', targetUrl: 'https://ci.example/9' }),
    ];
    await told.note(first);
    await told.note(second);
    await told.note(commitReport({ ciSystem: 'github', jobKey: 'github/7/8/1' }));

    const before = await told.listPending('gitea');
    await told.note({ ...first, state: 'success', atEpochMs: first.atEpochMs + 1 });

    expect(before).toEqual(
      new Map([
        ['gitea/7/8/1', first],
        ['gitea/7/9/1', second],
      ]),
    );
    expect([...(await told.listPending('gitea')).keys()]).toEqual(['gitea/7/9/1']);
    expect([...(await told.listPending('github')).keys()]).toEqual(['github/7/8/1']);
  });

  test('the later report counts, whatever the order, and a late writer gets it back', async () => {
    const told = await makeToldJobs();
    const success: CommitReport = commitReport({ state: 'success', atEpochMs: commitReport().atEpochMs + 60_000 });

    expect(await told.note(success)).toEqual(success);
    expect(await told.note(commitReport())).toEqual(success);
    expect(await told.listPending('gitea')).toEqual(new Map());
  });

  test('a repeated report is noted again, and a different one of the same moment replaces it', async () => {
    const told = await makeToldJobs();
    const other = commitReport({ description: 'no room' });

    expect(await told.note(commitReport())).toEqual(commitReport());
    expect(await told.note(commitReport())).toEqual(commitReport());
    expect(await told.note(other)).toEqual(other);
  });

  test('many reports arrive at the same time: the latest stays', async () => {
    const told = await makeToldJobs();
    const at = commitReport().atEpochMs;

    await Promise.all(twenty.map((index) => told.note(commitReport({ atEpochMs: at + index }))));

    expect((await told.listPending('gitea')).get('gitea/7/8/1')?.atEpochMs).toBe(at + 19);
  });
});

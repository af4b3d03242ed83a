import { createDynamoLostJobs } from '../../adapters/aws/create-dynamo-lost-jobs.ts';
import { sqliteLostJobs } from '../../local/store/sqlite-ci-memory.ts';
import type { LostJobClaim, LostJobs } from '../../ports/lost-jobs.ts';
import { lostJob } from '../support/lost-job.ts';
import { startDatabases } from './databases.ts';

const { inEach } = await startDatabases();

describe.each(inEach(sqliteLostJobs, createDynamoLostJobs))('lost jobs (%s)', (_name, makeLostJobs) => {
  let lost: LostJobs;
  beforeEach(async () => {
    lost = await makeLostJobs();
  });

  test('a lost job waits until its outcome is settled, in its own CI system', async () => {
    await lost.note(lostJob());
    await lost.note(lostJob({ name: 'test', jobId: 9 }));
    await lost.note(lostJob({ ciSystem: 'github' }));

    const before = await lost.listWaiting('gitea');
    await lost.settle(lostJob(), 'asked');

    expect(before).toEqual([lostJob(), lostJob({ name: 'test', jobId: 9 })]);
    expect(await lost.listWaiting('gitea')).toEqual([lostJob({ name: 'test', jobId: 9 })]);
    expect(await lost.listWaiting('github')).toEqual([lostJob({ ciSystem: 'github' })]);
  });

  test("a re-run in the same run is not run again, whatever its id, while another run's job is", async () => {
    await lost.note(lostJob());
    await lost.settle(lostJob(), 'asked');

    await lost.note(lostJob({ jobId: 99, attempt: 2 }));
    await lost.note(lostJob({ runId: 41 }));

    expect(await lost.listWaiting('gitea')).toEqual([lostJob({ runId: 41 })]);
  });

  test('noting a loss again changes nothing, and settling a job that was never noted has no effect', async () => {
    await lost.settle(lostJob(), 'asked');

    await lost.note(lostJob());
    await lost.note(lostJob({ reason: 'later' }));

    expect(await lost.listWaiting('gitea')).toEqual([lostJob()]);
  });

  test('settling a job twice succeeds', async () => {
    await lost.note(lostJob());

    await lost.settle(lostJob(), 'asked');
    await lost.settle(lostJob(), 'unneeded');

    expect(await lost.listWaiting('gitea')).toEqual([]);
  });

  test('of two reconciles only one claims a lost job, and a repeat of its claim succeeds', async () => {
    await lost.note(lostJob());

    expect(await lost.claim(lostJob(), claimOf('one', 1000))).toBe(true);
    expect(await lost.claim(lostJob(), claimOf('other', 2000))).toBe(false);
    expect(await lost.claim(lostJob(), claimOf('one', 1000))).toBe(true);
    expect(await lost.listWaiting('gitea')).toEqual([lostJob()]);
  });

  test('a claim ends by itself, and when it is given up by its own reconcile', async () => {
    await lost.note(lostJob());
    await lost.claim(lostJob(), claimOf('one', 1000));

    const late = await lost.claim(lostJob(), claimOf('other', 1000 + claimMs));
    await lost.release(lostJob(), claimOf('one', 1000));
    const early = await lost.claim(lostJob(), claimOf('third', 1001 + claimMs));
    await lost.release(lostJob(), claimOf('other', 1000 + claimMs));

    expect([late, early]).toEqual([true, false]);
    expect(await lost.claim(lostJob(), claimOf('third', 1001 + claimMs))).toBe(true);
  });

  test('a job that is settled, or was never noted, cannot be claimed, and giving up a claim of it has no effect', async () => {
    await lost.note(lostJob());
    await lost.claim(lostJob(), claimOf('one', 1000));
    await lost.settle(lostJob(), 'asked');
    const never = lostJob({ runId: 41 });

    expect(await lost.claim(lostJob(), claimOf('one', 1000))).toBe(false);
    expect(await lost.claim(never, claimOf('one', 1000))).toBe(false);
    await lost.release(lostJob(), claimOf('one', 1000));
    await lost.release(never, claimOf('one', 1000));
    expect(await lost.listWaiting('gitea')).toEqual([]);
  });
});

const claimMs = 60_000;

function claimOf(by: string, atEpochMs: number): LostJobClaim {
  return { by, atEpochMs, untilEpochMs: atEpochMs + claimMs };
}

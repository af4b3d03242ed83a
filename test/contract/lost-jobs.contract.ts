import type { LostJobs } from '../../functions/ports/lost-jobs.ts';
import { lostJob } from '../support/lost-job.ts';

/**
 * The contract of every store of lost jobs.
 *
 * @param makeLostJobs returns an empty one each time
 */
export function describeLostJobs(name: string, makeLostJobs: () => Promise<LostJobs>): void {
  describe(`lost jobs (${name})`, () => {
    test('a lost job waits until its outcome is settled, in its own CI system', async () => {
      const lost = await makeLostJobs();
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
      const lost = await makeLostJobs();
      await lost.note(lostJob());
      await lost.settle(lostJob(), 'asked');

      await lost.note(lostJob({ jobId: 99, attempt: 2 }));
      await lost.note(lostJob({ runId: 41 }));

      expect(await lost.listWaiting('gitea')).toEqual([lostJob({ runId: 41 })]);
    });

    test('noting a loss again changes nothing, and settling a job that was never noted has no effect', async () => {
      const lost = await makeLostJobs();
      await lost.settle(lostJob(), 'asked');

      await lost.note(lostJob());
      await lost.note(lostJob({ reason: 'later' }));

      expect(await lost.listWaiting('gitea')).toEqual([lostJob()]);
    });

    test('settling a job twice succeeds', async () => {
      const lost = await makeLostJobs();
      await lost.note(lostJob());

      await lost.settle(lostJob(), 'asked');
      await lost.settle(lostJob(), 'unneeded');

      expect(await lost.listWaiting('gitea')).toEqual([]);
    });
  });
}

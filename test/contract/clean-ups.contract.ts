import type { CleanUps } from '../../ports/requests.ts';

/** Clean-ups under test. */
export interface CleanUpsUnderTest {
  cleanUps: CleanUps;
  /** Resolves with the launches whose clean-up ran, once there are this many. */
  ran: (count: number) => Promise<readonly string[]>;
}

/** The contract of every way to request a clean-up. */
export function describeCleanUps(name: string, makeCleanUps: () => Promise<CleanUpsUnderTest>): void {
  describe(`clean-ups (${name})`, () => {
    test('a requested clean-up runs for that launch', async () => {
      const { cleanUps, ran } = await makeCleanUps();

      await cleanUps.request('job-a');

      expect(await ran(1)).toEqual(['job-a']);
    });

    test('a clean-up that is requested twice may run twice, and no request is lost', async () => {
      const { cleanUps, ran } = await makeCleanUps();

      await Promise.all(['job-a', 'job-b', 'job-a'].map((launchId) => cleanUps.request(launchId)));

      expect(new Set(await ran(3))).toEqual(new Set(['job-a', 'job-b']));
    });
  });
}

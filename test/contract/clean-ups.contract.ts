import { describe, expect, test } from '@jest/globals';
import type { CleanUps } from '../../functions/ports/clean-ups.ts';

/** Clean-ups under test. */
export interface CleanUpsUnderTest {
  cleanUps: CleanUps;
  /** Resolves with the launches that clean-up was run for, when there are so many. */
  ran: (count: number) => Promise<readonly string[]>;
}

/** What every way of asking for a clean-up does. */
export function describeCleanUps(name: string, makeCleanUps: () => Promise<CleanUpsUnderTest>): void {
  describe(`clean-ups (${name})`, () => {
    test('a clean-up that is asked for is run for that launch', async () => {
      const { cleanUps, ran } = await makeCleanUps();

      await cleanUps.request('job-a');

      expect(await ran(1)).toEqual(['job-a']);
    });

    test('a clean-up that is asked for twice may run twice, and none is forgotten', async () => {
      const { cleanUps, ran } = await makeCleanUps();

      await Promise.all(['job-a', 'job-b', 'job-a'].map((launchId) => cleanUps.request(launchId)));

      expect(new Set(await ran(3))).toEqual(new Set(['job-a', 'job-b']));
    });
  });
}

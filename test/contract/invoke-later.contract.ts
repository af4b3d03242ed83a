import type { InvokeLater } from '../../ports/invoke-later.ts';

/** Invocations under test. */
export interface InvokeLaterUnderTest {
  invokeLater: InvokeLater<'clean-up'>;
  /** Resolves with the launches whose clean-up ran, once there are this many. */
  ran: (count: number) => Promise<readonly string[]>;
}

/** The contract of every way to invoke a function later. */
export function describeInvokeLater(name: string, make: () => Promise<InvokeLaterUnderTest>): void {
  describe(`later invocations (${name})`, () => {
    test('a function that is to run later runs with its event', async () => {
      const { invokeLater, ran } = await make();

      await invokeLater('clean-up', { launchId: 'job-a' });

      expect(await ran(1)).toEqual(['job-a']);
    });

    test('an event that is sent twice may be handled twice, and no event is lost', async () => {
      const { invokeLater, ran } = await make();

      await Promise.all(['job-a', 'job-b', 'job-a'].map((launchId) => invokeLater('clean-up', { launchId })));

      expect(new Set(await ran(3))).toEqual(new Set(['job-a', 'job-b']));
    });
  });
}

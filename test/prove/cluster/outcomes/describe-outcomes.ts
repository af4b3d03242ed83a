import type { DavitOnCluster } from '../start-davit.ts';
import { expectFailure, type Failure, type Row, requestLaunch } from './expect-outcome.ts';
import { expectRecovery, type Recovery } from './expect-recovery.ts';

/**
 * Declares a test for each failing launch of a table. The tests run concurrently.
 *
 * @param davit returns the davit that the suite has started by then
 */
export function describeFailures(davit: () => DavitOnCluster, failures: readonly (Row & Failure)[]): void {
  describe('a launch into a real cluster fails, says why and what to do, and leaves nothing', () => {
    test.concurrent.each(failures)('$what: $code', async (row) => {
      await expectFailure(davit(), await requestLaunch(davit(), row), row);
    });
  });
}

/** Declares a test for each launch of a table that waits for its cluster, like `describeFailures`. */
export function describeRecoveries(davit: () => DavitOnCluster, recoveries: readonly Recovery[]): void {
  describe('a launch into a real cluster waits, says for what, and works', () => {
    test.concurrent.each(recoveries)('$what', async (row) => {
      await expectRecovery(davit(), row);
    });
  });
}

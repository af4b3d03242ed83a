import { askedOfList } from '../../core/ci/asked-labels.ts';
import type { CiTraits } from '../../core/ci/ci-traits.ts';

/** How GitHub differs from the other kinds of CI systems. */
export const githubTraits: CiTraits = {
  labelsHaveCase: false,
  askedLabels: askedOfList,
  isPolled: false,
  /**
   * Its secondary limit of the REST API. Of 900 points, 800 are 160 registrations and 40 are kept for reads; 60 are for
   * minutes that begin within a slot, and for what an App asks to get its tokens.
   *
   * @see https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api#about-secondary-rate-limits
   */
  requestPoints: { aMinute: 900, ofRead: 1, ofWrite: 5, keptForReads: 40 },
  hasCommitStatuses: true,
};

import { askedOfList } from '../../core/ci/asked-labels.ts';
import type { CiTraits } from '../../core/ci/ci-traits.ts';

/** How GitHub differs from the other kinds of CI systems. */
export const githubTraits: CiTraits = {
  labelsHaveCase: false,
  askedLabels: askedOfList,
  isPolled: false,
  hasCommitStatuses: true,
};

import { askedOfList } from '../../core/ci/asked-labels.ts';
import type { CiTraits } from '../../core/ci/ci-traits.ts';

/** How Gitea differs from the other kinds of CI systems. */
export const giteaTraits: CiTraits = {
  labelsHaveCase: true,
  askedLabels: askedOfList,
  isPolled: false,
  hasCommitStatuses: true,
};

import { askedOfList } from '../../core/ci/asked-labels.ts';
import type { CiTraits } from '../../core/ci/ci-traits.ts';

/** How a sender of Standard Webhooks differs from the other kinds of CI systems. */
export const standardTraits: CiTraits = {
  labelsHaveCase: false,
  askedLabels: askedOfList,
  isPolled: false,
  hasStandardSignatures: true,
  hasCommitStatuses: false,
};

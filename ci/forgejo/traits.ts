import { askedOfList } from '../../core/ci/asked-labels.ts';
import type { CiTraits } from '../../core/ci/ci-traits.ts';

/** How Forgejo differs from the other kinds of CI systems. */
export const forgejoTraits: CiTraits = {
  labelsHaveCase: true,
  askedLabels: askedOfList,
  // A runner is told `LABEL:host`, so a label ends at its first colon.
  labelPattern: /^[^\s,:]+$/,
  isPolled: true,
  isPinned: true,
  hasCommitStatuses: false,
  profileKeysWithoutUse: {
    scope: 'the scope of the CI system says where its runners are registered',
    warm: 'an agent of davit is for one job of Forgejo, so there is none before the job',
    rerunWhenLost: "Forgejo's API runs no job again",
    tellAfterSeconds: "the list of Forgejo's jobs does not say which commit they build",
  },
};

import type { CiTraits } from '../../core/ci/ci-traits.ts';
import { askedByRules } from './query-rules.ts';

/** How Buildkite differs from the other kinds of CI systems. */
export const buildkiteTraits: CiTraits = {
  labelsHaveCase: true,
  askedLabels: askedByRules,
  labelPattern: /^[^\s,=*]+(=[^\s,*]+)?$/,
  isPolled: true,
  isPinned: true,
  hasCommitStatuses: false,
  profileKeysWithoutUse: {
    scope: 'Buildkite gives an agent of davit one job, whatever its pipeline is',
    warm: 'an agent of davit is for one job of Buildkite, so there is none before the job',
    rerunWhenLost: "Buildkite runs a job again by its step's own retry rules",
    tellAfterSeconds: "a job's page in Buildkite shows at once why it waits",
  },
};

import type { CiTraits } from '../../core/ci/ci-traits.ts';
import { parseLabelExpression, plainLabel } from './label-expression.ts';

/** How Jenkins differs from the other kinds of CI systems. */
export const jenkinsTraits: CiTraits = {
  labelsHaveCase: true,
  askedLabels: ([expression, ...others]) => {
    const isOne = expression !== undefined && others.length === 0;
    return (isOne ? parseLabelExpression(expression) : undefined) ?? { labels: [], isMetBy: () => false };
  },
  asksForAbsentLabels: true,
  labelPattern: plainLabel,
  // An expression names many labels.
  longestAskedLabel: 4096,
  isPolled: true,
  hasCommitStatuses: false,
  profileKeysWithoutUse: {
    scope: 'Jenkins has no organizations: its agents are for all of its jobs',
    repositories: 'Jenkins gives an agent to any job that asks for its labels',
    warm: 'davit keeps no warm agents in Jenkins',
    rerunWhenLost: 'Jenkins runs no job again by itself; a pipeline does, with retry(conditions: [agent()])',
    tellAfterSeconds: 'a job of Jenkins has no commit whose status davit could set',
  },
};

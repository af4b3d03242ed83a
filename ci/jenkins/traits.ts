import { askedOfList } from '../../core/ci/asked-labels.ts';
import type { CiTraits } from '../../core/ci/ci-traits.ts';
import { parseLabelExpression } from './label-expression.ts';

/** What davit's decisions must know of Jenkins. */
export const jenkinsTraits: CiTraits = {
  labelsHaveCase: true,
  askedLabels: ([expression, ...others]) => {
    const isOne = expression !== undefined && others.length === 0;
    return (isOne ? parseLabelExpression(expression) : undefined) ?? { ...askedOfList([]), isMetBy: () => false };
  },
  asksForAbsentLabels: true,
  // What ends a label in an expression, and what a node's list of labels is split at.
  labelPattern: /^(?:-(?!>)|[^-&|!<>()\s"'])+$/,
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

import { askedOfList } from '../../core/ci/asked-labels.ts';
import type { CiTraits } from '../../core/ci/ci-traits.ts';

/** How GitLab differs from the other kinds of CI systems. Its labels are called tags. */
export const gitlabTraits: CiTraits = {
  labelsHaveCase: true,
  askedLabels: askedOfList,
  // GitLab separates the tags of a runner by commas, and cuts the spaces around them.
  labelPattern: /^[^\s,]([^,]*[^\s,])?$/,
  isPolled: true,
  hasStandardSignatures: true,
  hasCommitStatuses: false,
  profileKeysWithoutUse: {
    scope: "GitLab's entry says where its runners are registered: in its group or in its project",
    repositories:
      "GitLab gives a group's runner to any job of the group: an entry with project is for one project alone",
    warm: 'davit keeps no warm agents in GitLab',
    tellAfterSeconds: "a status of a commit is a job in GitLab: its pipeline would wait for davit's",
  },
};

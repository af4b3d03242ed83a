import type { AcceptancePlace } from './acceptance-ci.ts';

/** A workflow of the acceptance. */
export interface Workflow extends Pick<AcceptancePlace, 'branch'> {
  /** Its file, without its folder. */
  file: string;
  /** Where the repository has its workflows. */
  folder: string;
  /** Runs of one group cancel each other. */
  group: string;
  /** What its jobs ask for. */
  labels: readonly string[];
  /** From 1 to 256, GitHub's most for a matrix. */
  jobs: number;
  /** How long each job's only step takes. */
  seconds: number;
}

/**
 * Writes a workflow whose jobs start when it is committed, and at no other commit. The step needs a shell and `sleep`, and
 * nothing of the repository.
 */
export function workflowText({ file, folder, branch, group, labels, jobs, seconds }: Workflow): string {
  const parts = Array.from({ length: jobs }, (_, index) => index + 1).join(', ');
  return `on:
  push:
    branches: ['${branch}']
    paths: ['${folder}/${file}']
concurrency:
  group: ${branch}-${group}
  cancel-in-progress: true
permissions: {}
jobs:
  job:
    runs-on: ${JSON.stringify(labels)}
    timeout-minutes: 30
    strategy:
      fail-fast: false
      matrix:
        part: [${parts}]
    steps:
      - run: sleep ${seconds}
`;
}

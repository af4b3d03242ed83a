import type { AcceptanceBranch, Batch } from './acceptance-ci.ts';

/** The file of a batch's workflow, without its folder. */
function workflowFileOf(batch: string): string {
  return `${batch}.yaml`;
}

/**
 * Makes the commit that adds a batch's workflow, which starts its jobs.
 *
 * @param folder where the repository has its workflows
 */
export function commitOf(
  batch: Batch,
  folder: string,
  { branch }: AcceptanceBranch,
): { path: string; body: { branch: string; content: string; message: string } } {
  const file = workflowFileOf(batch.name);
  const content = Buffer.from(workflowText(batch, { folder, branch })).toString('base64');
  return { path: `${folder}/${file}`, body: { branch, content, message: `add ${file}` } };
}

/** The batch of a workflow's file: of `.github/workflows/matrix.yaml@refs/heads/main`, as some versions name it. */
export function batchOfWorkflow(path: string): string {
  const [file = ''] = path.split('@', 1);
  return (file.split('/').at(-1) ?? '').replace(/\.yaml$/, '');
}

/** Says what the acceptance makes on its branch, and what it leaves if it cannot delete that. */
export function branchWords({ repository, branch }: AcceptanceBranch): { makes: string; leaves: string } {
  return {
    makes: `commit workflows to the new branch ${branch} of ${repository.owner}/${repository.name}`,
    leaves: `the branch ${branch} stays: delete it`,
  };
}

/**
 * Writes a workflow whose jobs start when it is committed, and at no other commit. The step needs a shell and `sleep`, and
 * nothing of the repository.
 *
 * @param folder where the repository has its workflows
 */
export function workflowText(
  { name, group, labels, jobs, seconds }: Batch,
  { folder, branch }: Pick<AcceptanceBranch, 'branch'> & { folder: string },
): string {
  const parts = Array.from({ length: jobs }, (_, index) => index + 1).join(', ');
  return `on:
  push:
    branches: ['${branch}']
    paths: ['${folder}/${workflowFileOf(name)}']
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

import { seededRandom } from '../../../../sandbox/seeded-random.ts';

/** A workflow file, and when to commit it. */
export interface Workflow {
  file: string;
  content: string;
  /** Since the first commit, in milliseconds. */
  atMs: number;
}

/** The jobs of one seed. */
export interface Workload {
  workflows: readonly Workflow[];
  /** The total number of jobs in its workflows. */
  jobs: number;
}

/** The labels of the profiles that the workload's jobs need. An agent of `large` may also take a `linux` job. */
export const workloadLabels = { small: ['linux'], large: ['linux', 'large'], arm: ['arm64'] } as const;

/** The number and kinds of jobs. */
export interface WorkloadSize {
  tens: number;
  /** Whether jobs need others. Gitea 1.26 forgets to unblock a job if it restarts at that moment. @default true */
  hasNeeds?: boolean;
}

/**
 * Makes tens of jobs. Each ten has a matrix, two jobs that need others, jobs for three profiles, and a workflow whose
 * concurrency group cancels its own earlier run. Each job's step runs for as long as the seed says.
 */
export function makeWorkload(seed: number, { tens, hasNeeds = true }: WorkloadSize = { tens: 1 }): Workload {
  const random = seededRandom(seed);
  let atMs = 0;
  const workflows = Array.from({ length: tens }, (_, ten) => tenJobs(random, `${seed}-${ten}`, hasNeeds)).flat();
  return {
    jobs: tens * 10,
    workflows: workflows.map((content, index) => {
      const workflow = { file: `w${index}.yaml`, content: withPath(content, `w${index}.yaml`), atMs };
      atMs += Math.floor(random() * 1500);
      return workflow;
    }),
  };
}

function tenJobs(random: () => number, name: string, hasNeeds: boolean): string[] {
  const needs = (title: string) => (hasNeeds ? `    needs: [${title}]\n` : '');
  const seconds = () => (0.2 + random() * 2).toFixed(1);
  const step = (text: string) => `    steps:\n      - run: sleep ${seconds()} && echo ${text}\n`;
  const job = (title: string, labels: string, more = '') =>
    `  ${title}:\n    runs-on: ${labels}\n${more}${step(title)}`;
  const matrix = '    strategy:\n      matrix:\n        part: [one, two, three]\n';
  const group = `concurrency:\n  group: deploy-${name}\n  cancel-in-progress: true\n`;
  return [
    `on: [push]\njobs:\n${job('test', 'linux', matrix)}${job('after', 'linux', needs('test'))}`,
    `on: [push]\njobs:\n${job('big', '[linux, large]')}${job('bigger', '[linux, large]')}`,
    `on: [push]\njobs:\n${job('arm', 'arm64')}${job('armed', 'arm64', needs('arm'))}`,
    `${group}on: [push]\njobs:\n${job('deploy', 'linux')}`,
    `${group}on: [push]\njobs:\n${job('deploy-again', 'linux')}`,
  ];
}

/** A commit of one workflow file starts only that workflow. */
function withPath(content: string, file: string): string {
  return content.replace('on: [push]', `on:\n  push:\n    paths: ['.gitea/workflows/${file}']`);
}

import { seededRandom } from '../../../sandbox/seeded-random.ts';

/** One workflow file, and when it is committed. */
export interface Workflow {
  file: string;
  content: string;
  /** After the first one, in milliseconds. */
  atMs: number;
}

/** What the jobs of one seed ask of Gitea. */
export interface Workload {
  workflows: readonly Workflow[];
  /** How many jobs its workflows have. */
  jobs: number;
}

/** The labels of the profiles that the workload's jobs ask for. A `linux` job may be taken by an agent of `large`, too. */
export const workloadLabels = { small: ['linux'], large: ['linux', 'large'], arm: ['arm64'] } as const;

/**
 * Makes ten jobs: a matrix, two that need others, jobs for three profiles, one workflow that cancels its own earlier run
 * by a concurrency group. Each job's step really runs, for as long as the seed says.
 */
export function makeWorkload(seed: number): Workload {
  const random = seededRandom(seed);
  const seconds = () => (0.2 + random() * 2).toFixed(1);
  const step = (text: string) => `    steps:\n      - run: sleep ${seconds()} && echo ${text}\n`;
  const job = (name: string, labels: string, more = '') => `  ${name}:\n    runs-on: ${labels}\n${more}${step(name)}`;
  const matrix = '    strategy:\n      matrix:\n        part: [one, two, three]\n';
  const group = `concurrency:\n  group: deploy-${seed}\n  cancel-in-progress: true\n`;
  const pause = () => Math.floor(random() * 1500);
  const workflows = [
    { content: `on: [push]\njobs:\n${job('test', 'linux', matrix)}${job('after', 'linux', '    needs: [test]\n')}` },
    { content: `on: [push]\njobs:\n${job('big', '[linux, large]')}${job('bigger', '[linux, large]')}` },
    { content: `on: [push]\njobs:\n${job('arm', 'arm64')}${job('armed', 'arm64', '    needs: [arm]\n')}` },
    { content: `${group}on: [push]\njobs:\n${job('deploy', 'linux')}` },
    { content: `${group}on: [push]\njobs:\n${job('deploy-again', 'linux')}` },
  ];
  let atMs = 0;
  return {
    jobs: 10,
    workflows: workflows.map(({ content }, index) => {
      const workflow = { file: `w${index}.yaml`, content: withPath(content, `w${index}.yaml`), atMs };
      atMs += pause();
      return workflow;
    }),
  };
}

/** A commit of one workflow file starts that workflow alone. */
function withPath(content: string, file: string): string {
  return content.replace('on: [push]', `on:\n  push:\n    paths: ['.gitea/workflows/${file}']`);
}

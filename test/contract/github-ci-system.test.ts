import { createGithub } from '../../ci/github/create-github.ts';
import { byToken } from '../../ci/github/github-authorization.ts';
import { shaOf } from '../../local/github/bodies.ts';
import { runOneJob } from '../../local/github/run-job.ts';
import type { DescribedGithub } from '../prove/ci/github/openapi-check.ts';
import { type CheckedGithub, startCheckedGithub } from '../prove/ci/github/start-checked-github.ts';
import { ciSystemContract } from './ci-system.contract.ts';

const organization = 'acme';
const pauseMs = 50;
const started = new Map<DescribedGithub, CheckedGithub>();
/** GitHub, and the oldest and the newest GitHub Enterprise Server with a description. */
const githubs: DescribedGithub[] = ['api.github.com', 'ghes-3.17', 'ghes-3.19'];

afterAll(async () => {
  for (const github of started.values()) await github.stop();
});

for (const described of githubs) {
  ciSystemContract(`a GitHub that is held to the description of ${described}`, async () => {
    const github = await startCheckedGithub([organization], described);
    started.set(described, github);
    const connect = (token: string) =>
      createGithub({ name: 'github', apiUrl: github.url, ...byToken(async () => token), timeoutMs: 60_000 });
    return {
      organization,
      ci: connect(github.token),
      stranger: connect('wrong'),
      queueJobs: async (repository, label, steps) => {
        const jobs = steps.map((step, index) => ({ name: `job${index}`, labels: [label], steps: [step] }));
        return shaOf(github.state.queueRun(organization, repository, jobs)[0].runId);
      },
      runOneJob: ({ environment }) => runOneJob(environment['ACTIONS_RUNNER_INPUT_JITCONFIG'] ?? '', pauseMs),
      repositoryIdOf: async (repository) => github.state.repositoryIdOf(organization, repository),
      conclusionOf: async (repository) => github.state.jobs.find((job) => job.repository === repository)?.conclusion,
      statusesOf: async ({ owner, name }, sha) => github.statuses.get(`${owner}/${name}/${sha}`) ?? [],
      fail: async () => {
        github.failWith = { status: 502 };
      },
      resume: async () => {
        github.failWith = undefined;
      },
    };
  });
}

test.each(githubs)('every request and answer matches the description of %s', (described) => {
  expect(started.get(described)?.problems).toEqual([]);
});

import { afterAll, expect, test } from '@jest/globals';
import { createGithub } from '../../functions/adapters/ci/create-github.ts';
import { byToken } from '../../functions/adapters/ci/github-authorization.ts';
import type { DescribedGithub } from '../ci/github/openapi-check.ts';
import { runOneJob } from '../ci/github/run-job.ts';
import { type FakeGithub, shaOf, startGithub } from '../ci/github/start-github.ts';
import { ciSystemContract } from './ci-system.contract.ts';

const organization = 'acme';
const pauseMs = 50;
const started = new Map<DescribedGithub, FakeGithub>();
/** GitHub, and the oldest and the newest GitHub Enterprise Server that GitHub describes. */
const githubs: DescribedGithub[] = ['api.github.com', 'ghes-3.17', 'ghes-3.19'];

afterAll(async () => {
  for (const github of started.values()) await github.stop();
});

for (const described of githubs) {
  ciSystemContract(`a GitHub that is held to the description of ${described}`, async () => {
    const github = await startGithub([organization], described);
    started.set(described, github);
    const connect = (token: string) =>
      createGithub({ name: 'github', apiUrl: github.url, ...byToken(async () => token), timeoutMs: 5000 });
    return {
      organization,
      ci: connect(github.token),
      stranger: connect('wrong'),
      queueJobs: async (repository, label, steps) => {
        const jobs = steps.map((step, index) => ({ name: `job${index}`, labels: [label], steps: [step] }));
        return shaOf(github.state.queueRun(organization, repository, jobs));
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

test.each(githubs)('every request and answer was as %s describes it', (described) => {
  expect(started.get(described)?.problems).toEqual([]);
});

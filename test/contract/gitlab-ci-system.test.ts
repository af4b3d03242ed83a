import { createGitlab } from '../../ci/gitlab/create-gitlab.ts';
import type { Registration } from '../../ports/ci-system.ts';
import { shaOf } from '../support/gitlab/entities.ts';
import { RunSingle } from '../support/gitlab/run-single.ts';
import { type FakeGitlab, startFakeGitlab } from '../support/gitlab/start-fake-gitlab.ts';
import { type CiWorld, ciSystemContract, type RunnerEnd } from './ci-system.contract.ts';

const organization = 'acme';
let gitlab: FakeGitlab | undefined;

afterAll(async () => {
  await gitlab?.stop();
});

async function start(): Promise<CiWorld> {
  const fake = await startFakeGitlab();
  gitlab = fake;
  const { url, state } = fake;
  const connect = (token: string) =>
    createGitlab({
      name: 'gitlab',
      url,
      group: organization,
      // The contract's callers do not wait, and no job is on its way to a runner of which they say that it is idle.
      settleSeconds: 0,
      readToken: async () => token,
      timeoutMs: 60_000,
    });
  const jobsIn = (repository: string) =>
    state.jobs.filter(({ project }) => project === `${organization}/${repository}`);
  // The group's list of projects may be a minute old.
  for (const name of ['one', 'listed', 'red', 'cross', 'busy', 'idle', 'mine', 'other', 'asked', 'seen', 'fine']) {
    state.addProject(`${organization}/${name}`);
  }
  return {
    organization,
    ci: connect(fake.token),
    stranger: connect('wrong'),
    queueJobs: async (repository, label, steps) => {
      const pipelineId = state.nextId();
      for (const [index, script] of steps.entries()) {
        state.queue({
          project: `${organization}/${repository}`,
          name: `job${index}`,
          tags: [label],
          script,
          pipelineId,
        });
      }
      return shaOf(pipelineId);
    },
    runOneJob,
    repositoryIdOf: async (repository) => state.projects.get(`${organization}/${repository}`),
    conclusionOf: async (repository) => {
      const statuses = jobsIn(repository).map(({ status }) => status);
      if (statuses.some((status) => status === 'pending' || status === 'running')) return undefined;
      return statuses.includes('failed') ? 'failure' : 'success';
    },
    statusesOf: async () => [],
    resumeAssigning: async (runnerId) => {
      await fetch(`${url}/api/v4/runners/${runnerId}`, {
        method: 'PUT',
        headers: { 'private-token': fake.token, 'content-type': 'application/json' },
        body: JSON.stringify({ paused: false }),
      });
    },
    fail: async () => {
      fake.failWith = { status: 502 };
    },
    resume: async () => {
      fake.failWith = undefined;
    },
  };
}

async function runOneJob({ environment }: Registration): Promise<RunnerEnd> {
  let refused: string | undefined;
  const runner: RunSingle = new RunSingle({
    url: environment['GITLAB_URL'] ?? '',
    token: environment['GITLAB_RUNNER_TOKEN'] ?? '',
    maxBuilds: 1,
    waitTimeoutSeconds: 10,
    checkIntervalMs: 50,
    onUnhealthy: () => {
      refused = 'its token is not known';
      runner.quit();
    },
  });
  await runner.run();
  const [ran] = runner.ran;
  return ran === undefined ? { refused: refused ?? 'no job came' } : { task: `${ran.id}`, succeeded: ran.succeeded };
}

ciSystemContract('a fake GitLab', start, {
  runnersStay: true,
  rerunsAreNewJobs: true,
  hasNoStatuses: true,
  peopleMayResume: true,
});

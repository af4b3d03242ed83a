import * as z from 'zod';
import { createGitea } from '../../../../ci/gitea/create-gitea.ts';
import { type CiWorld, ciSystemContract } from '../../../contract/ci-system.contract.ts';
import { buildGitea } from '../gitea/build-gitea.ts';
import { createGiteaClient } from '../gitea/gitea-client.ts';
import { runOneTask } from '../gitea/run-one-task.ts';
import { type Gitea, startGitea } from '../gitea/start-gitea.ts';

const organization = 'acme';
const repositoryIds = new Map<string, number>();
let started: Gitea | undefined;

afterAll(async () => {
  await started?.[Symbol.asyncDispose]();
});

async function start(): Promise<CiWorld> {
  const gitea = await startGitea(await buildGitea((text) => process.stderr.write(`${text}\n`)));
  started = gitea;
  const client = createGiteaClient(gitea);
  await client.createOrganization(organization);
  const connect = (token: string) =>
    createGitea({ name: 'gitea', url: gitea.url, readToken: async () => token, timeoutMs: 60_000 });
  return {
    organization,
    ci: connect(gitea.adminToken),
    stranger: connect('wrong'),
    queueJobs: async (repository, label, steps) => {
      const { id } = await client.createRepository(organization, repository);
      repositoryIds.set(repository, id);
      const jobs = steps.map(
        (step, index) => `  job${index}:\n    runs-on: ${label}\n    steps:\n      - run: ${step}\n`,
      );
      return client.commitWorkflow(organization, repository, 'w.yaml', `on: [push]\njobs:\n${jobs.join('')}`);
    },
    runOneJob: runOneTask,
    repositoryIdOf: async (repository) => repositoryIds.get(repository),
    conclusionOf: async (repository) => (await client.listRuns(organization, repository))[0]?.conclusion,
    statusesOf: async ({ owner, name }, sha) => {
      const response = await fetch(`${gitea.url}/api/v1/repos/${owner}/${name}/commits/${sha}/status`, {
        headers: { authorization: `token ${gitea.adminToken}` },
      });
      return z.object({ statuses: z.array(z.unknown()) }).parse(await response.json()).statuses;
    },
    resumeAssigning: (runnerId) => client.enableRunner(organization, runnerId),
    fail: () => gitea.stop(),
    resume: () => gitea.start(),
  };
}

ciSystemContract('a real Gitea', start, { peopleMayResume: true });

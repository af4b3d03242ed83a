import { createHmac } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { text } from 'node:stream/consumers';
import * as z from 'zod';
import { createGitea } from '../../../../ci/gitea/create-gitea.ts';
import { startLoopbackServer } from '../../../../local/loopback-server.ts';
import { type CiWorld, ciSystemContract } from '../../../contract/ci-system.contract.ts';
import { GiteaClient } from '../gitea/gitea-client.ts';
import { runOneTask } from '../gitea/run-one-task.ts';
import { startGitea } from '../gitea/start-gitea.ts';

const organization = 'acme';
const repositoryIds = new Map<string, number>();
const gitea = await startGitea();
const client = new GiteaClient(gitea);
beforeAll(() => client.createOrganization(organization));
afterAll(() => gitea[Symbol.asyncDispose]());

function connect(token: string) {
  return createGitea({ name: 'gitea', url: gitea.url, readToken: async () => token, timeoutMs: 60_000 });
}

async function queueJobs(repository: string, label: string, steps: readonly string[]): Promise<string> {
  const { id } = await client.createRepository(organization, repository);
  repositoryIds.set(repository, id);
  const jobs = steps.map((step, index) => `  job${index}:\n    runs-on: ${label}\n    steps:\n      - run: ${step}\n`);
  return client.commitWorkflow(organization, repository, 'w.yaml', `on: [push]\njobs:\n${jobs.join('')}`);
}

async function start(): Promise<CiWorld> {
  return {
    organization,
    ci: connect(gitea.adminToken),
    stranger: connect('wrong'),
    queueJobs,
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

test("a runner of a real Gitea with labels of an agent's size gets the job that asks for them", async () => {
  const labels = ['sized', 'davit/cpu=4', 'davit/memory=8Gi'];
  await queueJobs('sized', `[${labels.toReversed().join(', ')}]`, ['test 1 = 1']);

  const end = await runOneTask(await connect(gitea.adminToken).register({ organization }, { name: 'sized', labels }));

  expect(end).toMatchObject({ succeeded: true });
});

test('the webhook of a real Gitea is made once, and signs with the secret that it was given last', async () => {
  const ci = connect(gitea.adminToken);
  const delivered = Promise.withResolvers<{ headers: IncomingHttpHeaders; body: string }>();
  await using receiver = await startLoopbackServer((request, response) => {
    void text(request).then((body) => {
      delivered.resolve({ headers: request.headers, body });
      return response.end();
    });
  });
  const url = `${receiver.url}/webhooks/gitea`;
  const put = (secret: string) => ci.putWebhook({ organization }, { url, secret });

  const before = await ci.listWebhooks({ organization });
  const outcomes = [await put('the first secret'), await put('the second secret')];
  await queueJobs('hooked', 'nobody', ['true']);
  const { headers, body } = await delivered.promise;

  expect(before).toEqual([]);
  expect(outcomes).toEqual(['made', 'corrected']);
  expect(await ci.listWebhooks({ organization })).toEqual([{ url, isActive: true, sendsJobs: true }]);
  expect(headers['x-gitea-event']).toBe('workflow_job');
  const signature = createHmac('sha256', 'the second secret').update(body).digest('hex');
  expect(headers['x-hub-signature-256']).toBe(`sha256=${signature}`);
});

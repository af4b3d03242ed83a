import * as z from 'zod';
import type { Config } from '../../core/config/config.ts';
import { JobList } from '../../functions/jobs/queued-job-view-schema.ts';
import { createGithubWebhooks, type GithubWebhooks } from '../../local/github/github-webhooks.ts';
import { type CheckedGithub, startCheckedGithub } from '../prove/ci/github/start-checked-github.ts';
import { until } from '../prove/cluster/until.ts';
import { startTestRuntime, type TestRuntime } from '../support/start-test-runtime.ts';
import { newJob } from './jobs.ts';
import { exampleOwner, joining, joiningProfile, secretsOf, withGithub } from './joining.ts';

const patienceMs = 180_000;
let github: CheckedGithub;
let davit: TestRuntime;
let webhooks: GithubWebhooks;
beforeAll(async () => {
  github = await startCheckedGithub(['acme', exampleOwner]);
  davit = await startTestRuntime({
    changeConfig: (config) => withUnplaceable(withGithub(config, github)),
    secrets: secretsOf(github),
  });
  webhooks = createGithubWebhooks(`${davit.runtime.url}/webhooks/acme`, await davit.runtime.webhookSecret('acme'));
});
afterAll(async () => {
  await davit[Symbol.asyncDispose]();
  await github.stop();
});

/** The joining profile, limited to one agent, on a missing node. */
function withUnplaceable(config: Config): Config {
  const profile = joiningProfile(config);
  const spec = { ...profile.template.spec, nodeSelector: { disk: 'none' } };
  const limited = { ...profile, maxAgents: 1, template: { ...profile.template, spec } };
  return { ...config, profiles: [...config.profiles, limited] };
}

async function listJobs(): Promise<z.infer<typeof JobList>> {
  const { status, body } = await davit.launches.get('/jobs');
  if (status !== 200) throw new Error(`GET /jobs was answered ${status}`);
  return z.parse(JobList, body);
}

async function launchOf(launchId = ''): Promise<object | undefined> {
  const { status, body } = await davit.launches.get(`/launches/${launchId}`);
  return status === 200 ? body : undefined;
}

test('a job over a limit waits without an execution, and is launched as soon as the agent before it is gone', async () => {
  const fields = { created_at: new Date().toISOString() };
  const newest = () => ({ ...newJob([joining]), fields });
  const [first, second] = [newest(), newest()];
  const launchIds = [first, second].map(({ launchId }) => launchId.replace('github', 'acme'));
  await webhooks.deliver(first, 'queued');

  const answer = await webhooks.deliver(second, 'queued');
  const { jobs } = await listJobs();
  const before = await davit.launches.get(`/launches/${launchIds[1]}`);
  await davit.launches.end(launchIds[0] ?? '');
  const launched = await until('the second job is launched', patienceMs, () => launchOf(launchIds[1]));
  const gone = await davit.launches.show(launchIds[0] ?? '');
  for (const job of [first, second]) await webhooks.deliver(job, 'completed');
  await davit.launches.end(launchIds[1] ?? '');

  const reason = 'the job waits for its turn: 1 of 1 agents of profile joining';
  expect(answer).toMatchObject({ status: 200, body: { ignored: true, reason } });
  expect(jobs.map(({ waitsFor, launches }) => [waitsFor.reason, waitsFor.position, launches])).toEqual([
    ['AgentLaunching', undefined, 1],
    ['Limit', 1, 0],
  ]);
  expect(jobs[1]?.waitsFor.detail).toBe('1 of 1 agents of profile joining, position 1');
  expect(before.status).toBe(404);
  expect(gone.status).toBe('terminated');
  expect(launched).toMatchObject({ status: 'launching' });
  expect(github.problems).toEqual([]);
});

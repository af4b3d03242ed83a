import { delimiter } from 'node:path';
import { fileURLToPath } from 'node:url';
import { sign } from '@octokit/webhooks-methods';
import type { Config } from '../../core/config/config.ts';
import { runnerImages } from '../../local/agent/image.ts';
import { until } from '../prove/cluster/until.ts';
import { holdBuilds } from '../support/jenkins/hold-builds.ts';
import { type FakeJenkins, startFakeJenkins } from '../support/jenkins/start-fake-jenkins.ts';
import { liveLaunches } from '../support/live-launches.ts';
import { startTestRuntime, type TestRuntime } from '../support/start-test-runtime.ts';
import { withCiServers } from '../support/with-ci-servers.ts';

const programs = fileURLToPath(new URL('../support/jenkins/bin', import.meta.url));
const agentProgram = fileURLToPath(new URL('../support/jenkins/jenkins-agent.ts', import.meta.url));
const searchPath = [programs, '/usr/bin', '/bin'].join(delimiter);
const patienceMs = 180_000;
let jenkins: FakeJenkins;
/** Another one, which is polled once a minute. */
let slow: FakeJenkins;
let davit: TestRuntime;

beforeAll(async () => {
  [jenkins, slow] = await Promise.all([startFakeJenkins(), startFakeJenkins()]);
  davit = await startTestRuntime({
    changeConfig: withServers,
    secrets: { 'token-jenkins': jenkins.user.apiToken, 'token-slow': slow.user.apiToken },
    sandbox: { images: runnerImages(searchPath) },
  });
});
afterAll(async () => {
  await davit[Symbol.asyncDispose]();
  await Promise.all([jenkins.stop(), slow.stop()]);
});

/** Adds what a platform team writes, and where this machine has the stand-in for the agent's program. */
function withServers(config: Config): Config {
  const entryOf = ({ url, user }: FakeJenkins, pollSeconds: number) => ({ url, user: user.name, pollSeconds });
  const servers = { jenkins: entryOf(jenkins, 1), slow: entryOf(slow, 60) };
  const environment = { PATH: searchPath, TEST_NODE: process.execPath, TEST_JENKINS_AGENT: agentProgram };
  return withCiServers(config, { provider: 'jenkins', servers, labels: ['linux', 'docker'], environment });
}

const live = () => liveLaunches(davit);

function nodesOf({ state }: FakeJenkins): string[] {
  return [...state.nodes.keys()].filter((name) => name !== 'davit-signpost');
}

/** Waits until no agent, no launch, no Service and no Pod is left. */
async function untilAllIsGone(): Promise<void> {
  await until('no agent and no launch is left', patienceMs, async () => {
    return [...nodesOf(jenkins), ...nodesOf(slow), ...(await live())].length === 0;
  });
  await davit.history.untilNothingIsLeft();
}

const toggles = (server: FakeJenkins) => server.exchanges.filter(({ path }) => path.includes('toggleOffline'));

test('a job that is queued in Jenkins gets an agent, runs there, and nothing is left', async () => {
  jenkins.enqueueFreestyle({ name: 'app', label: 'linux && docker', script: 'echo built here' });

  await until('the job is over', patienceMs, async () => jenkins.state.builds[0]?.result);
  await untilAllIsGone();

  expect(jenkins.state.builds).toMatchObject([{ job: 'app', result: 'SUCCESS', log: 'built here\n' }]);
  expect(toggles(jenkins)).toEqual([]);
});

test('jobs that wait together run together, each on an agent of its own, and pipelines beside them', async () => {
  const before = jenkins.state.builds.length;
  await using held = await holdBuilds();
  const { script } = held;
  for (const name of ['one', 'two']) {
    jenkins.enqueueFreestyle({ name, label: 'linux', script });
    jenkins.enqueuePipeline({ name: `pipeline-${name}`, label: 'docker||windows', script });
  }
  const mine = () => jenkins.state.builds.slice(before);
  const busy = () => [...jenkins.state.nodes.values()].filter(({ executors }) => executors.some(Boolean));

  await until('all of them run', patienceMs, async () => busy().length === 4);
  const bound = await until('davit knows which agent runs which', patienceMs, async () => {
    const jobs = (await live()).flatMap(({ runs }) => runs?.job?.name ?? []);
    return jobs.length === 4 && jobs.toSorted();
  });
  await held.release();
  await untilAllIsGone();

  expect(bound).toEqual(['one', 'pipeline-one #1', 'pipeline-two #1', 'two']);
  expect(mine().map(({ result }) => result)).toEqual(Array.from({ length: 4 }, () => 'SUCCESS'));
  expect(toggles(jenkins)).toEqual([]);
});

test('an agent that is ended by hand before it runs anything leaves no node', async () => {
  jenkins.user.permissions.delete('Agent/Connect');
  const item = jenkins.enqueueFreestyle({ name: 'cancelled', label: 'linux' });
  await until('davit says why the agent has to wait', patienceMs, async () =>
    (await live()).some(({ signal }) => signal?.detail.includes('davit is missing the Agent/Connect permission')),
  );
  jenkins.state.cancel(item);
  jenkins.user.permissions.add('Agent/Connect');
  await until('its agent has connected', patienceMs, async () =>
    (await live()).some(({ status }) => status === 'connected'),
  );

  for (const { launchId } of await live()) await davit.launches.end(launchId);

  await untilAllIsGone();
  expect(toggles(jenkins)).toEqual([]);
});

test('a signed request makes davit poll at once, and another one does not', async () => {
  slow.enqueueFreestyle({ name: 'hooked', label: 'linux' });
  const post = async (secret: string) => {
    const body = '{}';
    const headers = { 'content-type': 'application/json', 'x-hub-signature-256': await sign(secret, body) };
    return fetch(`${davit.runtime.url}/webhooks/slow`, { method: 'POST', headers, body });
  };

  const refused = await post('wrong');
  const accepted = await post(await davit.runtime.webhookSecret('slow'));

  expect(refused.status).toBe(401);
  expect([accepted.status, await accepted.json()]).toEqual([202, { polls: 'slow' }]);
  await until('the job is over', patienceMs, async () => slow.state.builds[0]?.result);
});

test('no secret of an agent is in a Pod, a record, a log or an answer of the API', async () => {
  const secrets = jenkins.state.builds.flatMap(({ builtOn }) =>
    builtOn === undefined ? [] : jenkins.secretOf(builtOn),
  );
  const pods = JSON.stringify(davit.history.changes);

  expect(secrets.length).toBeGreaterThan(0);
  expect(secrets.filter((secret) => pods.includes(secret))).toEqual([]);
});

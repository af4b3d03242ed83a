import { idOf } from '../../../../ci/id-of-name.ts';
import type { SeenAttempt } from '../../../../cli/acceptance/acceptance-ci.ts';
import { jenkinsCi } from '../../../../cli/acceptance/jenkins-ci.ts';
import { until } from '../../../prove/cluster/until.ts';
import { connectInboundAgent } from '../../../support/jenkins/inbound-agent.ts';
import { createJenkinsClient } from '../../../support/jenkins/jenkins-client.ts';
import {
  type FakeJenkins,
  type FakeJenkinsOptions,
  startFakeJenkins,
} from '../../../support/jenkins/start-fake-jenkins.ts';

const prefix = 'davit-acceptance-1';
const batch = { name: 'matrix', group: 'matrix', labels: ['linux', 'docker'], jobs: 2, seconds: 1 };
const soonMs = 20_000;

async function open(options: FakeJenkinsOptions = {}, folder?: string) {
  const opened = new AsyncDisposableStack();
  const jenkins = await startFakeJenkins(options);
  opened.defer(() => jenkins.stop());
  const { url, user } = jenkins;
  const readToken = async () => user.apiToken;
  const access = { name: 'jenkins', url, user: user.name, readToken, pollSeconds: 0, timeoutMs: 5000 };
  const ci = jenkinsCi(access, { prefix, ...(folder === undefined ? {} : { folder }) });
  const use = (agent: AsyncDisposable) => opened.use(agent);
  return { jenkins, ci, use, [Symbol.asyncDispose]: () => opened.disposeAsync() };
}

/** Connects an agent, which runs builds one after another. */
async function addAgent(jenkins: FakeJenkins, name: string) {
  const { url, user } = jenkins;
  const client = createJenkinsClient({ url, userName: user.name, apiToken: user.apiToken });
  await client.createNode(name, batch.labels);
  return connectInboundAgent({ url, name, secret: jenkins.secretOf(name) });
}

const isOver = ({ status }: SeenAttempt) => status === 'completed';

test('each job of a batch is a project that asks for all labels, and all are removed', async () => {
  await using opened = await open();
  const { jenkins, ci } = opened;

  await ci.open();
  await ci.start(batch);
  const queued = await ci.listAttempts(['matrix', 'other']);

  expect([...jenkins.state.projects.values()]).toEqual([
    { name: `${prefix}-first`, label: 'none', script: 'sleep 1', quietPeriodMs: 0 },
    { name: `${prefix}-matrix-1`, label: 'linux&&docker', script: 'sleep 2', quietPeriodMs: 0 },
    { name: `${prefix}-matrix-2`, label: 'linux&&docker', script: 'sleep 2', quietPeriodMs: 0 },
  ]);
  expect(queued).toHaveLength(2);
  expect(queued[0]).toEqual({
    batch: 'matrix',
    runId: expect.any(Number),
    jobId: expect.any(Number),
    attempt: 1,
    status: 'queued',
    queuedAtEpochMs: jenkins.state.items[0]?.inQueueSinceEpochMs,
  });
  await ci.close();
  expect([...jenkins.state.projects]).toEqual([]);
  expect(jenkins.state.queue).toEqual([]);
});

test("a build's times and node are Jenkins' own, and a second build of its job is another attempt", async () => {
  await using opened = await open();
  const { jenkins, ci } = opened;
  opened.use(await addAgent(jenkins, 'davit-a'));
  const one = { ...batch, jobs: 1 };

  await ci.start(one);
  await until('the build is over', soonMs, async () => (await ci.listAttempts(['matrix'])).every(isOver));
  const [first] = await ci.listAttempts(['matrix']);
  await ci.rerun(first?.runId ?? 0);
  await until('the second one is over', soonMs, async () => {
    const all = await ci.listAttempts(['matrix']);
    return all.length === 2 && all.every(isOver);
  });

  const [build] = jenkins.state.builds;
  expect(first).toMatchObject({
    conclusion: 'success',
    runnerId: idOf('davit-a'),
    startedAtEpochMs: build?.startedAtEpochMs,
    completedAtEpochMs: build?.endedAtEpochMs,
  });
  expect(new Set((await ci.listAttempts(['matrix'])).map(({ jobId }) => jobId)).size).toBe(2);
});

test('jobs are cancelled in the queue and while they run', async () => {
  await using opened = await open();
  const { jenkins, ci } = opened;
  opened.use(await addAgent(jenkins, 'davit-a'));

  await ci.start({ ...batch, seconds: 60 });
  await until('one runs', soonMs, async () =>
    (await ci.listAttempts(['matrix'])).some(({ status }) => status === 'in_progress'),
  );
  await ci.cancel?.('matrix');
  await until('both are over', soonMs, async () => (await ci.listAttempts(['matrix'])).every(isOver));

  const seen = await ci.listAttempts(['matrix']);
  expect(seen.map(({ conclusion }) => conclusion)).toEqual(['cancelled', 'cancelled']);
  expect(seen.filter(({ startedAtEpochMs }) => startedAtEpochMs !== undefined)).toHaveLength(1);
});

test('the jobs may be in a folder', async () => {
  await using opened = await open({}, 'team/acceptance');
  const { jenkins, ci } = opened;

  await ci.start({ ...batch, jobs: 1 });

  expect([...jenkins.state.projects.keys()]).toEqual([`team/acceptance/${prefix}-matrix-1`]);
  expect(await ci.listAttempts(['matrix'])).toHaveLength(1);
  await ci.close();
  expect([...jenkins.state.projects]).toEqual([]);
});

test('a user with a password gets a crumb', async () => {
  await using opened = await open({ needsCrumb: true });
  const { jenkins, ci } = opened;

  await ci.open();
  await ci.close();

  expect([...jenkins.state.projects]).toEqual([]);
  expect(jenkins.exchanges.filter(({ path }) => path.startsWith('/crumbIssuer'))).toHaveLength(1);
});

test.each([
  ['Job/Create', 'open'],
  ['Job/Build', 'start'],
  ['Job/Delete', 'close'],
] as const)('a user without %s is told so', async (permission, call) => {
  await using opened = await open();
  const { jenkins, ci } = opened;
  if (call === 'close') await ci.open();
  jenkins.user.permissions.delete(permission);

  await expect(call === 'start' ? ci.start(batch) : ci[call]()).rejects.toThrow(
    `davit is missing the ${permission} permission`,
  );
});

test('the version is in the answer', async () => {
  await using opened = await open();

  expect(await opened.ci.readVersion()).toBe('Jenkins 2.479.1');
});

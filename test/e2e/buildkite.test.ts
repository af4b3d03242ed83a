import { readdir, readFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Config } from '../../core/config/config.ts';
import { runnerImages } from '../../local/agent/image.ts';
import { until } from '../prove/cluster/until.ts';
import { type FakeBuildkite, signedHook, startFakeBuildkite } from '../support/buildkite/start-fake-buildkite.ts';
import { holdBuilds } from '../support/jenkins/hold-builds.ts';
import { liveLaunches } from '../support/live-launches.ts';
import { startTestRuntime, type TestRuntime } from '../support/start-test-runtime.ts';
import { withCiServers } from '../support/with-ci-servers.ts';

const programs = fileURLToPath(new URL('../support/buildkite/bin', import.meta.url));
const agentProgram = fileURLToPath(new URL('../support/buildkite/buildkite-agent.ts', import.meta.url));
const searchPath = [programs, '/usr/bin', '/bin'].join(delimiter);
const patienceMs = 180_000;
let buildkite: FakeBuildkite;
/** Another one, which is polled every 20 s. */
let slow: FakeBuildkite;
let davit: TestRuntime;

beforeAll(async () => {
  [buildkite, slow] = await Promise.all([startFakeBuildkite(), startFakeBuildkite()]);
  davit = await startTestRuntime({
    changeConfig: withServers,
    secrets: { 'token-buildkite': buildkite.token, 'token-slow': slow.token },
    sandbox: { images: runnerImages(searchPath) },
  });
});
afterAll(async () => {
  await davit?.[Symbol.asyncDispose]();
  await Promise.all([buildkite?.stop(), slow?.stop()]);
});

function withServers(config: Config): Config {
  const entryOf = ({ url, queue }: FakeBuildkite, pollSeconds: number) => ({
    url,
    organization: 'acme',
    queue,
    pollSeconds,
  });
  const servers = { buildkite: entryOf(buildkite, 1), slow: entryOf(slow, 20) };
  const environment = { PATH: searchPath, TEST_NODE: process.execPath, TEST_BUILDKITE_AGENT: agentProgram };
  return withCiServers(config, { provider: 'buildkite', servers, labels: ['queue=default', 'os=linux'], environment });
}

const live = () => liveLaunches(davit);

/** Waits until no launch, no Service, no Pod, no connected agent and no reservation is left. */
async function untilAllIsGone(): Promise<void> {
  await until('no launch is left', patienceMs, async () => (await live()).length === 0);
  await davit.history.untilNothingIsLeft();
  await until('no agent is connected', patienceMs, async () =>
    [...buildkite.state.agents.values()].every(({ isConnected }) => !isConnected),
  );
  expect(buildkite.state.inState('reserved')).toEqual([]);
}

test('a job that is scheduled in Buildkite gets an agent for it alone, and nothing is left', async () => {
  const job = buildkite.state.enqueue({ rules: ['os=linux'], step: 'test', command: 'echo built here' });

  await until('the job is over', patienceMs, async () => job.state === 'finished');
  await untilAllIsGone();

  expect(job).toMatchObject({ exitStatus: '0', log: 'built here\n' });
  expect(job.acquiredBy).toEqual([expect.stringMatching(/^davit-[0-9a-f]{8}-buildkite-/)]);
  expect([...buildkite.state.agents.values()][0]?.tags).toEqual(['queue=default', 'os=linux']);
});

test('jobs that wait together run together, each on the agent that was launched for it', async () => {
  await using held = await holdBuilds();
  const jobs = ['one', 'two', 'three'].map((step) => buildkite.state.enqueue({ step, command: held.script }));
  const others = buildkite.state.enqueue({ rules: ['os=windows'] });

  await until('all of them run', patienceMs, async () => jobs.every(({ state }) => state === 'running'));
  const bound = await until('davit knows which agent runs which', patienceMs, async () => {
    const names = (await live()).flatMap(({ runs }) => runs?.job?.name ?? []);
    return names.length === 3 && names.toSorted();
  });
  const shown = await live();
  await held.release();
  await untilAllIsGone();

  expect(bound).toEqual(['one', 'three', 'two']);
  expect(shown.every(({ runs, plan }) => runs?.jobKey === plan?.jobKey)).toBe(true);
  expect(jobs.map(({ exitStatus, acquiredBy }) => [exitStatus, acquiredBy.length])).toEqual([
    ['0', 1],
    ['0', 1],
    ['0', 1],
  ]);
  expect(others.state).toBe('scheduled');
  buildkite.state.cancel(others);
});

test('a job that is cancelled ends its launch, before its agent has it and after', async () => {
  await using held = await holdBuilds();
  const early = buildkite.state.enqueue({ step: 'early' });
  const late = buildkite.state.enqueue({ step: 'late', command: held.script });
  await until('davit has reserved one of them', patienceMs, async () => early.state !== 'scheduled');
  buildkite.state.cancel(early);
  await until('the other one runs', patienceMs, async () => late.state === 'running');

  buildkite.state.cancel(late);

  await untilAllIsGone();
  expect(late).toMatchObject({ state: 'canceled', acquiredBy: [expect.any(String)] });
  expect(early.acquiredBy.length).toBeLessThanOrEqual(1);
});

test('a signed webhook makes davit poll at once, and another one does not', async () => {
  const job = slow.state.enqueue({ step: 'hooked' });
  const post = async (headers: Record<string, string>) =>
    fetch(`${davit.runtime.url}/webhooks/slow`, { method: 'POST', headers, body: '{"event":"job.scheduled"}' });
  const secret = await davit.runtime.webhookSecret('slow');

  const refused = await post(signedHook('wrong', 'job.scheduled', '{"event":"job.scheduled"}'));
  const old = await post(signedHook(secret, 'job.scheduled', '{"event":"job.scheduled"}', Date.now() - 301_000));
  const accepted = await post(signedHook(secret, 'job.scheduled', '{"event":"job.scheduled"}'));
  const byToken = await post({ 'x-buildkite-event': 'ping', 'x-buildkite-token': secret });

  expect([refused.status, old.status, accepted.status, byToken.status]).toEqual([401, 401, 202, 200]);
  await until('the job is over', patienceMs, async () => job.state === 'finished');
});

test("no token of an agent is in a Pod or in a file of davit's or of its agents'", async () => {
  const tokens = [...buildkite.state.tokens.keys()];
  const pods = JSON.stringify(davit.history.changes);
  const entries = await readdir(davit.stateDirectory, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const contents = await Promise.all(files.map((file) => readFile(file, 'latin1')));

  expect(tokens.length).toBeGreaterThan(1);
  expect(contents.some((content) => content.includes('buildkite/'))).toBe(true);
  expect(tokens.filter((token) => [pods, ...contents].some((text) => text.includes(token)))).toEqual([]);
  expect(pods).not.toContain(buildkite.token);
});

import { readdir, readFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { setTimeout as realSleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Config } from '../../core/config/config.ts';
import { runnerImages } from '../../local/agent/image.ts';
import { until } from '../prove/cluster/until.ts';
import type { FakeJob } from '../support/gitlab/gitlab-state.ts';
import { type FakeGitlab, hookHeaders, startFakeGitlab } from '../support/gitlab/start-fake-gitlab.ts';
import { holdBuilds } from '../support/jenkins/hold-builds.ts';
import { liveLaunches } from '../support/live-launches.ts';
import { startTestRuntime, type TestRuntime } from '../support/start-test-runtime.ts';
import { withCiServers } from '../support/with-ci-servers.ts';

const programs = fileURLToPath(new URL('../support/gitlab/bin', import.meta.url));
const runnerProgram = fileURLToPath(new URL('../support/gitlab/gitlab-runner.ts', import.meta.url));
const searchPath = [programs, '/usr/bin', '/bin'].join(delimiter);
const patienceMs = 180_000;
/** It sends webhooks, and is polled once a minute. */
let hooked: FakeGitlab;
/** It sends none that arrives. */
let polled: FakeGitlab;
let davit: TestRuntime;

beforeAll(async () => {
  [hooked, polled] = await Promise.all([startFakeGitlab(), startFakeGitlab()]);
  // Each job is handed out a moment after the server has looked whether its runner is paused.
  for (const { handOut } of [hooked, polled]) handOut.between = async () => realSleep(150);
  for (const project of ['acme/app', 'acme/tools/lib']) polled.state.addProject(project);
  davit = await startTestRuntime({
    changeConfig: withServers,
    secrets: { 'token-hooked': hooked.token, 'token-polled': polled.token },
    sandbox: { images: runnerImages(searchPath) },
  });
  hooked.hook = { url: `${davit.runtime.url}/webhooks/hooked`, secret: await davit.runtime.webhookSecret('hooked') };
});
afterAll(async () => {
  await davit?.[Symbol.asyncDispose]();
  await Promise.all([hooked?.stop(), polled?.stop()]);
});

/** A paused runner may get a job for a second: a minute would be as good, and the tests would wait for it. */
function withServers(config: Config): Config {
  const servers = {
    hooked: { url: hooked.url, group: 'acme', pollSeconds: 3, settleSeconds: 1 },
    polled: { url: polled.url, group: 'acme', pollSeconds: 1, settleSeconds: 1 },
  };
  const environment = { PATH: searchPath, TEST_NODE: process.execPath, TEST_GITLAB_RUNNER: runnerProgram };
  return withCiServers(config, { provider: 'gitlab', servers, labels: ['linux', 'docker'], environment });
}

const live = () => liveLaunches(davit);

/** Waits until no runner, no launch, no Service and no Pod is left. */
async function untilAllIsGone(): Promise<void> {
  await until('no runner and no launch is left', patienceMs, async () => {
    return hooked.state.runners.size + polled.state.runners.size + (await live()).length === 0;
  });
  await davit.history.untilNothingIsLeft();
  expect([...hooked.state.deletedBusy, ...polled.state.deletedBusy]).toEqual([]);
}

const untilStatus = (job: FakeJob, status: FakeJob['status']) =>
  until(`${job.name} is ${status}`, patienceMs, async () => job.status === status);

test('a job whose webhook arrives gets an agent, runs there once, and nothing is left', async () => {
  const job = hooked.state.queue({ project: 'acme/app', name: 'build', tags: ['linux'], script: 'echo built here' });

  await untilStatus(job, 'success');
  await untilAllIsGone();

  expect(job.log).toBe('built here\n');
  expect(job.handedTo).toHaveLength(1);
  expect(new Set(hooked.delivered)).toEqual(new Set([202]));
});

test('a job whose webhook is lost is found by a poll, in any project of the group', async () => {
  const job = polled.state.queue({ project: 'acme/tools/lib', name: 'lost', tags: ['docker', 'linux'] });

  await untilStatus(job, 'success');
  await untilAllIsGone();

  expect(job.handedTo).toHaveLength(1);
});

test('jobs that wait together run together, each on an agent of its own', async () => {
  await using held = await holdBuilds();
  const queue = (name: string) =>
    hooked.state.queue({ project: 'acme/app', name, tags: ['linux'], script: held.script });
  const jobs = ['one', 'two', 'three'].map(queue);

  await until('all of them run', patienceMs, async () => jobs.every(({ status }) => status === 'running'));
  const bound = await until('davit knows which agent runs which', patienceMs, async () => {
    const names = (await live()).flatMap(({ runs }) => runs?.job?.name ?? []);
    return names.length === 3 && names.toSorted();
  });
  const paused = await until('no runner may get another job', patienceMs, async () => {
    const runners = [...hooked.state.runners.values()];
    return runners.length === 3 && runners.every((runner) => runner.paused);
  });
  await held.release();
  await untilAllIsGone();

  expect(bound).toEqual(['one', 'three', 'two']);
  expect(paused).toBe(true);
  expect(new Set(jobs.flatMap(({ handedTo }) => handedTo)).size).toBe(3);
});

test('a job that is cancelled in the queue, and one that is cancelled while it runs, leave nothing', async () => {
  await using held = await holdBuilds();
  const early = hooked.state.queue({ project: 'acme/app', name: 'early', tags: ['linux'] });
  await until('an agent is asked for', patienceMs, async () => (await live()).length > 0);
  hooked.state.cancel(early);
  const late = hooked.state.queue({ project: 'acme/app', name: 'late', tags: ['linux'], script: held.script });
  await untilStatus(late, 'running');

  hooked.state.cancel(late);

  await untilStatus(late, 'canceled');
  await untilAllIsGone();
  expect(early.handedTo.length + late.handedTo.length).toBeLessThanOrEqual(2);
});

test('a job that is retried is another job, and gets an agent of its own', async () => {
  const failed = hooked.state.queue({ project: 'acme/app', name: 'flaky', tags: ['linux'], script: 'exit 3' });
  await untilStatus(failed, 'failed');

  const again = hooked.state.retry(failed);

  if (again === undefined) throw new Error('GitLab does not retry the job');
  await untilStatus(again, 'failed');
  await untilAllIsGone();
  expect([failed.handedTo.length, again.handedTo.length]).toEqual([1, 1]);
  expect(again.handedTo).not.toEqual(failed.handedTo);
});

test('a webhook with another secret is refused, and an authentic one never, whatever it says', async () => {
  const post = async (secret: string, body: string) =>
    (await fetch(`${davit.runtime.url}/webhooks/polled`, { method: 'POST', headers: hookHeaders(secret, body), body }))
      .status;
  const secret = await davit.runtime.webhookSecret('polled');

  expect([await post('wrong', '{}'), await post(secret, '{}'), await post(secret, 'no JSON')]).toEqual([401, 200, 200]);
});

test("no token of a runner is in a Pod or in a file of davit's or of its agents'", async () => {
  const tokens = [hooked, polled].flatMap(({ exchanges }) =>
    exchanges.flatMap(({ path, body }) => (path === '/jobs/request' ? tokenIn(body) : [])),
  );
  const pods = JSON.stringify(davit.history.changes);
  const entries = await readdir(davit.stateDirectory, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const contents = await Promise.all(files.map((file) => readFile(file, 'latin1')));

  expect(new Set(tokens).size).toBeGreaterThan(5);
  expect(contents.some((content) => content.includes('hooked/'))).toBe(true);
  expect([...new Set(tokens)].filter((token) => [pods, ...contents].some((text) => text.includes(token)))).toEqual([]);
  expect(pods).not.toContain(hooked.token);
});

function tokenIn(body: unknown): string[] {
  return typeof body === 'object' && body !== null && 'token' in body && typeof body.token === 'string'
    ? [body.token]
    : [];
}

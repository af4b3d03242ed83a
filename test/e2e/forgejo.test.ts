import { readdir, readFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Config } from '../../core/config/config.ts';
import { runnerImages } from '../../local/agent/image.ts';
import { until } from '../prove/cluster/until.ts';
import { type FakeForgejo, startFakeForgejo } from '../support/forgejo/start-fake-forgejo.ts';
import { holdBuilds } from '../support/jenkins/hold-builds.ts';
import { liveLaunches } from '../support/live-launches.ts';
import { startTestRuntime, type TestRuntime } from '../support/start-test-runtime.ts';
import { withCiServers } from '../support/with-ci-servers.ts';

const programs = fileURLToPath(new URL('../support/forgejo/bin', import.meta.url));
const runnerProgram = fileURLToPath(new URL('../support/forgejo/forgejo-runner.ts', import.meta.url));
const searchPath = [programs, '/usr/bin', '/bin'].join(delimiter);
/** A runner that is no longer needed is looked at for 15 s. */
const patienceMs = 180_000;
let forgejo: FakeForgejo;
let davit: TestRuntime;

beforeAll(async () => {
  forgejo = await startFakeForgejo();
  davit = await startTestRuntime({
    changeConfig: withServer,
    secrets: { 'token-forgejo': forgejo.token },
    sandbox: { images: runnerImages(searchPath) },
  });
});
afterAll(async () => {
  await davit?.[Symbol.asyncDispose]();
  await forgejo?.stop();
});

function withServer(config: Config): Config {
  const environment = { PATH: searchPath, TEST_NODE: process.execPath, TEST_FORGEJO_RUNNER: runnerProgram };
  const { url, scope } = forgejo;
  const servers = { forgejo: { url, scope, pollSeconds: 1 } };
  return withCiServers(config, { provider: 'forgejo', servers, labels: ['linux', 'docker'], environment });
}

const live = () => liveLaunches(davit);

/** Waits until no launch, no Service, no Pod and no runner is left. */
async function untilAllIsGone(): Promise<void> {
  await until('no launch is left', patienceMs, async () => (await live()).length === 0);
  await davit.history.untilNothingIsLeft();
  await until('no runner is left', patienceMs, async () => forgejo.state.runners.size === 0);
}

test('a job that waits in Forgejo gets an agent for it alone, and nothing is left', async () => {
  const job = forgejo.state.enqueue({ command: 'echo built here' });

  await until('the job is over', patienceMs, async () => job.status === 'success');
  await untilAllIsGone();

  expect(job).toMatchObject({ log: 'built here\n', takenBy: [expect.stringMatching(/^davit-[0-9a-f]{8}-forgejo-/)] });
});

test('jobs that wait together run together, each on the agent that was launched for it', async () => {
  await using held = await holdBuilds();
  const jobs = ['one', 'two', 'three'].map((name) => forgejo.state.enqueue({ name, command: held.script }));
  const other = forgejo.state.enqueue({ runsOn: ['windows'] });

  await until('all of them run', patienceMs, async () => jobs.every(({ status }) => status === 'running'));
  const bound = await until('davit knows which agent runs which', patienceMs, async () => {
    const names = (await live()).flatMap(({ runs }) => runs?.job?.name ?? []);
    return names.length === 3 && names.toSorted();
  });
  const shown = await live();
  await held.release();
  await untilAllIsGone();

  expect(bound).toEqual(['one', 'three', 'two']);
  expect(shown.every(({ runs, plan }) => runs?.jobKey === plan?.jobKey)).toBe(true);
  expect(jobs.map(({ status, takenBy }) => [status, takenBy.length])).toEqual(jobs.map(() => ['success', 1]));
  expect(other.status).toBe('waiting');
  forgejo.state.cancel(other);
});

test('a job that is cancelled ends its launch, before its agent has it and while it runs', async () => {
  await using held = await holdBuilds();
  const early = forgejo.state.enqueue({ name: 'early' });
  forgejo.state.heldBack.add(early.handle);
  const late = forgejo.state.enqueue({ name: 'late', command: held.script });
  await until('both have a launch', patienceMs, async () => (await live()).length === 2);
  forgejo.state.cancel(early);
  await until('the other one runs', patienceMs, async () => late.status === 'running');
  await until('davit knows that', patienceMs, async () => (await live()).some(({ runs }) => runs !== undefined));

  forgejo.state.cancel(late);

  await untilAllIsGone();
  expect(late).toMatchObject({ status: 'cancelled', takenBy: [expect.any(String)] });
  expect(early).toMatchObject({ status: 'cancelled', takenBy: [] });
});

test('a job that is run again has another agent, for the new attempt', async () => {
  const job = forgejo.state.enqueue({ name: 'again', command: 'exit 3' });
  await until('the job has failed', patienceMs, async () => job.status === 'failure');
  const first = job.handle;

  forgejo.state.rerun(job);

  await until('the second attempt is over', patienceMs, async () => job.status === 'failure' && job.attempt === 2);
  await untilAllIsGone();
  expect(job.handle).not.toBe(first);
  expect(new Set(job.takenBy).size).toBe(2);
});

test('an agent whose job another runner has taken waits, and is gone when the job is over', async () => {
  const job = forgejo.state.enqueue({ name: 'taken' });
  forgejo.state.heldBack.add(job.handle);
  const runner = await until('its agent waits', patienceMs, async () =>
    [...forgejo.state.runners.values()].find(({ labels }) => labels.length > 0),
  );
  forgejo.state.takeElsewhere(job);
  await sleep(3000);
  const during = (await live()).map(({ status, runs }) => ({ status, runs }));
  forgejo.state.cancel(job);

  await untilAllIsGone();

  expect(during).toEqual([{ status: 'connected', runs: undefined }]);
  expect(job.takenBy).toEqual(['classic']);
  expect(runner.job).toBeUndefined();
});

test('jobs run, are cancelled and come while Forgejo does not answer davit: none is lost', async () => {
  await using held = await holdBuilds();
  const runs = forgejo.state.enqueue({ name: 'runs', command: held.script });
  await until('the job runs', patienceMs, async () => runs.status === 'running');
  await until('davit knows that', patienceMs, async () => (await live()).some(({ runs: job }) => job !== undefined));

  forgejo.isUp = false;
  const later = forgejo.state.enqueue({ name: 'later' });
  await sleep(12_000);
  const during = { launches: (await live()).length, status: runs.status };
  forgejo.isUp = true;
  await sleep(3000);
  const after = runs.status;
  await held.release();

  await until('both jobs are over', patienceMs, async () => [runs, later].every(({ status }) => status === 'success'));
  await untilAllIsGone();
  expect(during).toEqual({ launches: 1, status: 'running' });
  expect(after).toBe('running');
  expect([runs, later].map(({ takenBy }) => takenBy.length)).toEqual([1, 1]);
});

test("no token of a runner is in a Pod or in a file of davit's or of its agents'", async () => {
  const pods = JSON.stringify(davit.history.changes);
  const entries = await readdir(davit.stateDirectory, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const contents = await Promise.all(files.map((file) => readFile(file, 'latin1')));

  expect(forgejo.state.tokens.length).toBeGreaterThan(1);
  expect(contents.some((content) => content.includes('forgejo/'))).toBe(true);
  expect(forgejo.state.tokens.filter((token) => [pods, ...contents].some((text) => text.includes(token)))).toEqual([]);
  expect(pods).not.toContain(forgejo.token);
});

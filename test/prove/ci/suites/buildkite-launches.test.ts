import { delimiter } from 'node:path';
import type { Config } from '../../../../core/config/config.ts';
import { runnerImages } from '../../../../local/agent/image.ts';
import type { FakeJob } from '../../../support/buildkite/buildkite-state.ts';
import { type FakeBuildkite, startFakeBuildkite } from '../../../support/buildkite/start-fake-buildkite.ts';
import { liveLaunches } from '../../../support/live-launches.ts';
import { startTestRuntime, type TestRuntime } from '../../../support/start-test-runtime.ts';
import { withCiServers } from '../../../support/with-ci-servers.ts';
import { until } from '../../cluster/until.ts';
import { buildBuildkiteAgent } from '../buildkite/build-buildkite-agent.ts';

const patienceMs = 240_000;
let buildkite: FakeBuildkite;
let davit: TestRuntime;

beforeAll(async () => {
  const program = await buildBuildkiteAgent((text) => process.stderr.write(`${text}\n`));
  const searchPath = [program, process.env['PATH']].join(delimiter);
  buildkite = await startFakeBuildkite();
  davit = await startTestRuntime({
    changeConfig: (config: Config) =>
      withCiServers(config, {
        provider: 'buildkite',
        servers: { buildkite: { url: buildkite.url, organization: 'acme', queue: buildkite.queue } },
        labels: ['queue=default', 'os=linux'],
        environment: { PATH: searchPath },
      }),
    secrets: { 'token-buildkite': buildkite.token },
    sandbox: { images: runnerImages(searchPath) },
  });
});
afterAll(async () => {
  await davit?.[Symbol.asyncDispose]();
  await buildkite?.stop();
});

/** Waits until no launch, no Service, no Pod, no connected agent and no reservation is left. */
async function untilAllIsGone(): Promise<void> {
  await until('no launch is left', patienceMs, async () => (await liveLaunches(davit)).length === 0);
  await davit.history.untilNothingIsLeft();
  await until('no agent is connected', patienceMs, async () =>
    [...buildkite.state.agents.values()].every(({ isConnected }) => !isConnected),
  );
  expect(buildkite.state.inState('scheduled', 'reserved')).toEqual([]);
}

async function untilOver(jobs: readonly FakeJob[]): Promise<void> {
  await until('all jobs are over', patienceMs, async () =>
    jobs.every(({ state }) => state === 'finished' || state === 'canceled'),
  );
}

test("a job runs on Buildkite's own agent, and its processes and environment have no token of davit's", async () => {
  const script = 'echo built here; env; cat /proc/$PPID/environ; tr "\\0" " " </proc/$PPID/cmdline';
  const job = buildkite.state.enqueue({ rules: ['os=linux'], step: 'test', command: script });

  await untilOver([job]);
  await untilAllIsGone();

  expect(job).toMatchObject({ state: 'finished', exitStatus: '0', acquiredBy: [expect.stringMatching(/^davit-/)] });
  expect(job.log).toContain('built here');
  expect(job.log).not.toMatch(/bkjat_|bkct_|DAVIT_CREDENTIAL/);
});

test('a job that fails has its own exit code, and its agent is done', async () => {
  const job = buildkite.state.enqueue({ command: 'exit 3' });

  await untilOver([job]);
  await untilAllIsGone();

  expect(job).toMatchObject({ state: 'finished', exitStatus: '3' });
});

test('many jobs, some cancelled and some run again, each run at most once, and nothing is left', async () => {
  const jobs = Array.from({ length: 12 }, (_, index) =>
    buildkite.state.enqueue({ step: `job-${index}`, command: `sleep ${index % 3}` }),
  );
  const cancelled = jobs.filter((_, index) => index % 4 === 3);
  for (const job of cancelled.slice(0, 1)) buildkite.state.cancel(job);
  await until(
    'davit holds or runs the others',
    patienceMs,
    async () => buildkite.state.inState('scheduled').length === 0,
  );
  for (const job of cancelled.slice(1)) buildkite.state.cancel(job);
  // Buildkite does not answer for a while: davit pauses, and goes on.
  buildkite.isUp = false;
  await new Promise((resolve) => setTimeout(resolve, 5000));
  buildkite.isUp = true;
  await untilOver(jobs);
  const again = buildkite.state.retry(jobs[0] as FakeJob);
  await untilOver([again]);
  await untilAllIsGone();

  const all = [...jobs, again];
  expect(all.filter(({ acquiredBy }) => acquiredBy.length > 1)).toEqual([]);
  const others = all.filter((job) => !cancelled.includes(job));
  expect(others.map(({ exitStatus, acquiredBy }) => [exitStatus, acquiredBy.length])).toEqual(
    others.map(() => ['0', 1]),
  );
});

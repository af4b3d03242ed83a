import { delimiter } from 'node:path';
import type { Config } from '../../../../core/config/config.ts';
import { runnerImages } from '../../../../local/agent/image.ts';
import type { FakeJob } from '../../../support/buildkite/buildkite-state.ts';
import { type FakeBuildkite, startFakeBuildkite } from '../../../support/buildkite/start-fake-buildkite.ts';
import { liveLaunches } from '../../../support/live-launches.ts';
import { startTestRuntime, type TestRuntime } from '../../../support/start-test-runtime.ts';
import { withCiServers } from '../../../support/with-ci-servers.ts';
import { buildBuildkiteAgent } from '../../cluster/programs/programs.ts';
import { until } from '../../cluster/until.ts';

const patienceMs = 240_000;
let buildkite: FakeBuildkite;
let davit: TestRuntime;

beforeAll(async () => {
  const program = await buildBuildkiteAgent();
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

/** Waits until a job is over, and until no launch, no Service, no Pod, no connected agent and no reservation is left. */
async function untilAllIsOver(job: FakeJob): Promise<void> {
  await until('the job is over', patienceMs, async () => job.state === 'finished');
  await until('no launch is left', patienceMs, async () => (await liveLaunches(davit)).length === 0);
  await davit.history.untilNothingIsLeft();
  await until('no agent is connected', patienceMs, async () =>
    [...buildkite.state.agents.values()].every(({ isConnected }) => !isConnected),
  );
  expect(buildkite.state.inState('scheduled', 'reserved')).toEqual([]);
}

test("a job runs on Buildkite's own agent, and its processes and environment have no token of davit's", async () => {
  const script = 'echo built here; env; cat /proc/$PPID/environ; tr "\\0" " " </proc/$PPID/cmdline';
  const job = buildkite.state.enqueue({ rules: ['os=linux'], step: 'test', command: script });

  await untilAllIsOver(job);

  expect(job).toMatchObject({ state: 'finished', exitStatus: '0', acquiredBy: [expect.stringMatching(/^davit-/)] });
  expect(job.log).toContain('built here');
  expect(job.log).not.toMatch(/bkjat_|bkct_|DAVIT_CREDENTIAL/);
});

test('a job that fails has its own exit code, and its agent is done', async () => {
  const job = buildkite.state.enqueue({ command: 'exit 3' });

  await untilAllIsOver(job);

  expect(job).toMatchObject({ state: 'finished', exitStatus: '3' });
});

import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Config } from '../../core/config/config.ts';
import { liveStatuses } from '../../core/launch/launch-record.ts';
import { deliveredJob } from '../../local/github/github-hook.ts';
import { createGithubWebhooks, type GithubWebhooks } from '../../local/github/github-webhooks.ts';
import { runOneJob } from '../../local/github/run-job.ts';
import { verifyJobs } from '../../verify/jobs/verify-jobs.ts';
import { type CheckedGithub, startCheckedGithub } from '../prove/ci/github/start-checked-github.ts';
import { until } from '../prove/cluster/until.ts';
import { startTestRuntime, type TestRuntime } from '../support/start-test-runtime.ts';
import { reconcileOnce, secretsOf, withGithub } from './joining.ts';

const patienceMs = 180_000;
const shell = { image: 'davit.dev/shell' };

let directory: string;
let github: CheckedGithub;
let davit: TestRuntime;
let webhooks: GithubWebhooks;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'davit-warm-'));
  github = await startCheckedGithub(['acme']);
  davit = await startTestRuntime({
    changeConfig: withWarmAgents,
    secrets: secretsOf(github),
    sandbox: { images: { [shell.image]: { command: ['false'] } } },
    reconcileIntervalMs: 3_600_000,
  });
  webhooks = createGithubWebhooks(`${davit.runtime.url}/webhooks/acme`, await davit.runtime.webhookSecret('acme'));
});
afterAll(async () => {
  await davit[Symbol.asyncDispose]();
  await github.stop();
  await rm(directory, { recursive: true });
});

/** Agents that keep what they join with where the test reads it. */
function withWarmAgents(config: Config): Config {
  const env = [{ name: 'SHARED', value: directory }];
  const profile = {
    name: 'warm',
    labels: ['warm'],
    clusters: ['sandbox'],
    namespace: 'davit-agents',
    runner: 'github',
    warm: { agents: 1, organizations: ['acme'] },
    template: { spec: { containers: [{ name: 'agent', ...shell, env, command: ['sh', '-c', joinScript] }] } },
  };
  return Config.parse({ ...withGithub(config, github), profiles: [...config.profiles, profile] });
}

/** The agent of a job's own launch asks only when the job is over, so that another agent has had it. */
const joinScript = `case $DAVIT_AGENT_NAME in
  *-warm-*) ;;
  *) until [ -e "$SHARED/over" ]; do sleep 0.2; done ;;
esac
until answer=$(curl --silent --fail --request POST --header "Authorization: Bearer $DAVIT_CREDENTIAL" \\
  "$DAVIT_CONNECT_URL?as=env"); do sleep 0.2; done
eval "$answer"
printf '%s' "$ACTIONS_RUNNER_INPUT_JITCONFIG" >"$SHARED/$DAVIT_LAUNCH_ID"
exec sleep 3600
`;

async function liveLaunches(): Promise<{ launchId: string; status: string; runsJob: boolean }[]> {
  const page = await davit.runtime.ports.launches.list({ statuses: liveStatuses, limit: 100 });
  return (page?.launches ?? []).map(({ launchId, status, runs }) => ({
    launchId,
    status,
    runsJob: runs !== undefined,
  }));
}

async function warmRequests(): Promise<number> {
  await davit.runtime.eventsPublished();
  return davit.runtime.eventBus.events.filter(({ detail }) => JSON.stringify(detail).includes('"WarmRequested"'))
    .length;
}

test("a warm agent stands by without a runner, gets a job once it is queued, and the job's own agent stands by then", async () => {
  await reconcileOnce(davit);
  await reconcileOnce(davit);
  const [warm, ...others] = await liveLaunches();
  const launchId = warm?.launchId ?? '';
  expect(others).toEqual([]);
  expect(launchId).toMatch(/^acme-warm-[\da-f]{12}-\d+$/);
  await davit.launches.until(launchId, 'connected');
  const before = await davit.launches.show(launchId);
  const registered = github.state.runners.size;
  const [job] = github.state.queueRun('acme', 'app', [{ name: 'build', labels: ['warm'], steps: ['test 1 = 1'] }]);

  const { status } = await webhooks.deliver(deliveredJob(github, job), 'queued');
  const jitConfig = await until('the agent has joined', patienceMs, () =>
    readFile(join(directory, launchId), 'utf8').catch(() => undefined),
  );
  const end = await runOneJob(jitConfig, 50);
  await webhooks.deliver(deliveredJob(github, job), 'completed');
  await writeFile(join(directory, 'over'), '');
  const ownId = `acme-${github.state.repositoryIdOf('acme', 'app')}-${job.id}-1`;
  await davit.launches.until(ownId, 'connected');
  await davit.launches.until(launchId, 'terminated');
  for (let round = 0; round < 3; round += 1) await reconcileOnce(davit);

  expect(before).toMatchObject({ standby: { since: before.connectedAt } });
  expect(registered).toBe(0);
  expect(status).toBe(202);
  expect(end).toMatchObject({ succeeded: true });
  expect(await davit.launches.show(launchId)).toMatchObject({
    standby: { summonedFor: `acme/${github.state.repositoryIdOf('acme', 'app')}/${job.id}/1` },
    job: { name: 'build', conclusion: 'success' },
  });
  expect(await liveLaunches()).toEqual([{ launchId: ownId, status: 'connected', runsJob: false }]);
  expect(await davit.launches.show(ownId)).toMatchObject({ standby: { since: expect.any(String) } });
  expect(await davit.launches.show(ownId)).not.toHaveProperty('standby.summonedAt');
  expect(await warmRequests()).toBe(1);
  expect(github.problems).toEqual([]);
  expect(verifyJobs(github.jobEvents)).toMatchObject({ jobs: 1, ran: 1, runners: 1, findings: [] });
  await davit.launches.end(ownId);
});

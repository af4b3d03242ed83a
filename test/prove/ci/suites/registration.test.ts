import { createGitea } from '../../../../ci/gitea/create-gitea.ts';
import { CiSystemConfig } from '../../../../core/ci/ci-system-config.ts';
import type { Config } from '../../../../core/config/config.ts';
import { agentNameOf, type LaunchId } from '../../../../core/launch/names.ts';
import type { CiSystem } from '../../../../ports/ci-system.ts';
import { connectAs, launchJoining } from '../../../e2e/joining.ts';
import { idle, withProfiles } from '../../../support/profile-like.ts';
import { startTestRuntime, type TestRuntime } from '../../../support/start-test-runtime.ts';
import { buildGitea } from '../gitea/build-gitea.ts';
import { createGiteaClient, type GiteaClient } from '../gitea/gitea-client.ts';
import { runOneTask } from '../gitea/run-one-task.ts';
import { type Gitea, startGitea } from '../gitea/start-gitea.ts';

const organization = 'acme';
const scope = { organization };
let gitea: Gitea;
let client: GiteaClient;
let ci: CiSystem;
let davit: TestRuntime;

beforeAll(async () => {
  gitea = await startGitea(await buildGitea((text) => process.stderr.write(`${text}\n`)));
  client = createGiteaClient(gitea);
  await client.createOrganization(organization);
  ci = createGitea({ name: 'gitea', url: gitea.url, readToken: async () => gitea.adminToken, timeoutMs: 60_000 });
  davit = await startTestRuntime({ changeConfig: withGitea, secrets: { 'gitea-token': gitea.adminToken } });
});
afterAll(async () => {
  await davit[Symbol.asyncDispose]();
  await gitea[Symbol.asyncDispose]();
});

function withGitea(config: Config): Config {
  const system = { provider: 'gitea', url: gitea.url, webhookSecret: 'gitea-hook', tokenSecret: 'gitea-token' };
  const ciSystems = [...config.ciSystems, CiSystemConfig.parse({ name: 'real', ...system })];
  return { ...withProfiles(config, { waits: { agent: idle } }), ciSystems };
}

async function launch(launchId: LaunchId, sizeLabels: readonly string[] = []): Promise<void> {
  const labels = [launchId, ...sizeLabels];
  await launchJoining(davit, launchId, 'waits', { ciSystem: 'real', scope, labels, idleSeconds: 300 });
}

async function runnersOf(launchId: LaunchId): Promise<number[]> {
  const name = agentNameOf(launchId).replace(/^davit-/, '');
  return (await ci.findRunners(scope, 'davit-')).filter((runner) => runner.name.endsWith(name)).map(({ id }) => id);
}

test('an agent is registered at a Gitea when it connects, and runs a job of its profile with that registration', async () => {
  const sizeLabels = ['davit/cpu=4', 'davit/memory=8Gi'];
  await launch('real-1-1-1', sizeLabels);
  const { status, environment = {} } = await connectAs(davit, 'real-1-1-1');
  const [runnerId] = await runnersOf('real-1-1-1');
  await client.createRepository(organization, 'app');
  const runsOn = ['real-1-1-1', ...sizeLabels.toReversed()].join(', ');
  const job = `  build:\n    runs-on: [${runsOn}]\n    steps:\n      - run: test 1 = 1\n`;
  await client.commitWorkflow(organization, 'app', 'w.yaml', `on: [push]\njobs:\n${job}`);

  const end = await runOneTask({ environment });

  expect(status).toBe(200);
  expect(environment['GITEA_RUNNER_ID']).toBe(`${runnerId}`);
  expect(await davit.runtime.ports.launches.get('real-1-1-1')).toMatchObject({ runner: { id: runnerId } });
  expect(end).toMatchObject({ succeeded: true });
  expect((await client.listRuns(organization, 'app'))[0]?.conclusion).toBe('success');
  expect(await runnersOf('real-1-1-1')).toEqual([]);
});

test('an agent that asks again is registered again, and only one runner remains', async () => {
  await launch('real-1-2-1');

  const first = await connectAs(davit, 'real-1-2-1');
  const [lost] = await runnersOf('real-1-2-1');
  const second = await connectAs(davit, 'real-1-2-1');

  expect([first.status, second.status]).toEqual([200, 200]);
  const left = await runnersOf('real-1-2-1');
  expect(left).toHaveLength(1);
  expect(left).not.toContain(lost);
  expect(second.environment?.['GITEA_RUNNER_ID']).toBe(`${left[0]}`);
});

test('agents wait for a stopped Gitea, and are registered when it is back', async () => {
  await launch('real-1-3-1');
  await gitea.stop();

  const down = await connectAs(davit, 'real-1-3-1');
  const meanwhile = await davit.launches.show('real-1-3-1');
  await gitea.start();
  const back = await connectAs(davit, 'real-1-3-1');

  expect(down).toMatchObject({ status: 503 });
  expect(meanwhile).toMatchObject({ status: 'launching', signal: { code: 'CiUnavailable' } });
  expect(back).toMatchObject({ status: 200 });
  expect(await runnersOf('real-1-3-1')).toHaveLength(1);
});

import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ScanCommand } from '@aws-sdk/client-dynamodb';
import { Config } from '../../../../core/config/config.ts';
import { agentNameOf, type LaunchId } from '../../../../core/launch/names.ts';
import { runnerNameOf } from '../../../../core/launch/runner-names.ts';
import { deliveredJob } from '../../../../local/github/github-hook.ts';
import { createGithubWebhooks } from '../../../../local/github/github-webhooks.ts';
import { runOneJob } from '../../../../local/github/run-job.ts';
import type { KubeObject } from '../../../../sandbox/cluster-store.ts';
import { connectAs, launchJoining, secretsOf, withGithub } from '../../../e2e/joining.ts';
import type { HistoryEvent } from '../../../support/aws/stepfunctions/history-event.ts';
import { localDynamoDb } from '../../../support/local-dynamo-db.ts';
import { type AwsTestRuntime, startAwsTestRuntime } from '../../../support/start-aws-test-runtime.ts';
import { type CheckedGithub, startCheckedGithub } from '../../ci/github/start-checked-github.ts';
import { until } from '../../cluster/until.ts';

const shell = { image: 'davit.dev/shell' };
const jitVariable = 'ACTIONS_RUNNER_INPUT_JITCONFIG';
const events: HistoryEvent[] = [];
/** Every secret that an agent got, whether or not the answer reached it. */
const secrets = new Set<string>();

let directory: string;
let github: CheckedGithub;
let davit: AwsTestRuntime;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'davit-registration-'));
  github = await startCheckedGithub(['acme']);
  davit = await startAwsTestRuntime({
    changeConfig: withRunners,
    secrets: secretsOf(github),
    sandbox: { images: { [shell.image]: { command: ['false'] } } },
  });
  davit.runtime.stepFunctions.onEvent((event) => events.push(event));
});
afterEach(() => {
  for (const { secret } of github.state.runners.values()) secrets.add(secret);
  github.state.runners.clear();
});
afterAll(async () => {
  await davit[Symbol.asyncDispose]();
  await github.stop();
  await rm(directory, { recursive: true });
});

/** An agent that stores its registration where the test reads it, and one that does not connect by itself. */
function withRunners(config: Config): Config {
  const env = [{ name: 'SHARED', value: directory }];
  const common = { labels: ['linux'], clusters: ['sandbox'], namespace: 'davit-agents', runner: 'github' };
  const agent = (command: string) => ({
    spec: { containers: [{ name: 'agent', ...shell, env, command: ['sh', '-c', command] }] },
  });
  return Config.parse({
    ...withGithub(config, github),
    profiles: [
      ...config.profiles,
      { ...common, name: 'joins', template: agent(joining) },
      {
        ...common,
        name: 'sized',
        labels: ['sized'],
        scope: 'repository',
        sizes: { cpu: { max: 4, steps: ['1500m', 4] }, memory: { max: '1Gi', steps: ['64Mi', '1Gi'] } },
        template: agent(joining),
      },
      { ...common, name: 'waits', template: agent('exec sleep 3600') },
    ],
  });
}

const joining = `until answer=$(curl --silent --fail --request POST --header "Authorization: Bearer $DAVIT_CREDENTIAL" \\
  "$DAVIT_CONNECT_URL?as=env"); do sleep 0.2; done
eval "$answer"
printf '%s' "$${jitVariable}" >"$SHARED/$DAVIT_LAUNCH_ID"
exec sleep 3600
`;

function podOf(launchId: LaunchId): KubeObject | undefined {
  return davit.history.changes.findLast(
    ({ resource, object }) => resource === 'pods' && object.metadata.name === agentNameOf(launchId),
  )?.object;
}

function runnerIds(): number[] {
  return [...github.state.runners.keys()];
}

describe('an agent that joins a GitHub', () => {
  test('is registered when it connects, and runs a job with the answer', async () => {
    await launchJoining(davit, 'acme-1-1-1', 'joins');
    await davit.launches.until('acme-1-1-1', 'connected');
    const jitConfig = await until('the agent has joined', 10_000, () =>
      readFile(join(directory, 'acme-1-1-1'), 'utf8').catch(() => undefined),
    );
    const [runner] = github.state.runners.values();
    github.state.queueRun('acme', 'app', [{ name: 'build', labels: ['linux'], steps: ['test 1 = 1'] }]);
    secrets.add(runner?.secret ?? '');
    secrets.add(jitConfig);

    const end = await runOneJob(jitConfig, 50);

    expect(runner).toMatchObject({ name: await nameOf('acme-1-1-1'), labels: ['linux'], scope: 'acme' });
    expect(await davit.runtime.ports.launches.get('acme-1-1-1')).toMatchObject({ runner: { id: runner?.id } });
    expect(end).toMatchObject({ succeeded: true });
    expect(github.state.jobs.at(-1)).toMatchObject({ status: 'completed', runnerId: runner?.id });
    expect(github.problems).toEqual([]);
  });

  test('has the size that its job asks for, and no job gets more than the maximum', async () => {
    const webhooks = createGithubWebhooks(
      `${davit.runtime.url}/webhooks/acme`,
      await davit.runtime.webhookSecret('acme'),
    );
    const asked = ['sized', 'davit/memory=64Mi', 'davit/cpu=1500m'];
    const [fits, tooLarge] = github.state.queueRun('acme', 'app', [
      { name: 'fits', labels: asked, steps: ['test 1 = 1'] },
      { name: 'too large', labels: ['sized', 'davit/cpu=4001m'], steps: [] },
    ]);
    if (tooLarge === undefined) throw new Error('two jobs were queued');

    const taken = await webhooks.deliver(deliveredJob(github, fits), 'queued');
    const refused = await webhooks.deliver(deliveredJob(github, tooLarge), 'queued');
    const event = await until('the refusal is an event', 10_000, async () =>
      davit.runtime.eventBus.events.find(({ source }) => source === 'davit.job'),
    );
    const launchId = `acme-${github.state.repositoryIdOf('acme', 'app')}-${fits.id}-1`;
    await davit.launches.until(launchId, 'connected');
    const jitConfig = await until('the agent has joined', 10_000, () =>
      readFile(join(directory, launchId), 'utf8').catch(() => undefined),
    );
    const [runner] = github.state.runners.values();
    secrets.add(runner?.secret ?? '');
    secrets.add(jitConfig);
    const end = await runOneJob(jitConfig, 50);

    expect(taken).toMatchObject({ status: 202, body: { launchId } });
    expect(refused).toEqual({
      status: 200,
      body: { ignored: true, reason: 'profile sized takes no davit/cpu=4001m: expected one of 1500m, 4' },
    });
    expect(event).toMatchObject({
      'detail-type': 'JobRefused',
      detail: { refusal: 'Size', profile: 'sized', label: 'davit/cpu=4001m', job: { name: 'too large' } },
    });
    expect(runner?.labels).toEqual(['sized', 'davit/cpu=1500m', 'davit/memory=64Mi']);
    expect(end).toMatchObject({ succeeded: true });
    expect(fits).toMatchObject({ status: 'completed', runnerId: runner?.id });
    const size = { cpu: '1500m', memory: '64Mi' };
    expect(podOf(launchId)).toMatchObject({
      metadata: { annotations: { 'davit.dev/size': 'cpu=1500m,memory=64Mi' } },
      spec: { containers: [{ resources: { requests: size, limits: size } }] },
    });
    expect(await davit.launches.show(launchId)).toMatchObject({ plan: { size } });
    expect(github.problems).toEqual([]);
    github.state.jobs.splice(0);
  });

  test('is registered again when its answer was lost, and its first runner is removed', async () => {
    await launchJoining(davit, 'acme-1-2-1', 'waits');

    const first = await connectAs(davit, 'acme-1-2-1');
    const [lost] = runnerIds();
    const second = await connectAs(davit, 'acme-1-2-1');

    expect([first.status, second.status]).toEqual([200, 200]);
    expect(second.environment?.[jitVariable]).toMatch(/./);
    expect(second.environment).not.toEqual(first.environment);
    for (const given of [first, second]) secrets.add(given.environment?.[jitVariable] ?? '');
    expect(runnerIds()).toHaveLength(1);
    expect(runnerIds()).not.toContain(lost);
    expect(await davit.runtime.ports.launches.get('acme-1-2-1')).toMatchObject({ runner: { id: runnerIds()[0] } });
  });

  test('has a secret that appears only in its own answer', async () => {
    await davit.runtime.eventsPublished();
    const searched = [
      JSON.stringify(events),
      JSON.stringify(davit.history.changes),
      ...(await filesBelow(davit.stateDirectory)),
    ];
    using client = localDynamoDb(davit.runtime);
    const { launchesTable, tokensTable } = davit.runtime.services;
    for (const TableName of [launchesTable, tokensTable]) {
      searched.push(JSON.stringify((await client.send(new ScanCommand({ TableName }))).Items));
    }
    for (const launchId of ['acme-1-1-1', 'acme-1-2-1']) {
      searched.push(JSON.stringify(await davit.launches.show(launchId)));
    }

    const found = [...secrets].filter((secret) => searched.some((text) => text.includes(secret)));

    expect(secrets.size).toBeGreaterThan(5);
    expect(secrets).not.toContain('');
    expect(searched.join('\n')).toContain('RegisterRunner done');
    expect(searched.join('\n')).toContain(await nameOf('acme-1-1-1'));
    expect(found).toEqual([]);
  });
});

async function nameOf(launchId: LaunchId): Promise<string> {
  const installationId = await readFile(join(davit.stateDirectory, 'installation-id'), 'utf8');
  return runnerNameOf(installationId, agentNameOf(launchId));
}

/** Reads every file that the runtime has written. */
async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  return Promise.all(files.map(({ parentPath, name }) => readFile(join(parentPath, name), 'latin1')));
}

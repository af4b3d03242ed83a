import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readConfig } from '../../../../core/config/read-config.ts';
import { agentNameOf } from '../../../../core/launch/names.ts';
import { ServiceView } from '../../../../core/pod/kubernetes-objects.ts';
import { type CiServer, startCiServer } from '../../../../local/demo/ci-server.ts';
import { openApi } from '../../../contract/api-client.ts';
import { type DavitProcess, startDavitProcess } from '../../../e2e/davit-process.ts';
import { type FollowedHistory, followHistory } from '../../../support/followed-history.ts';
import { freePort } from '../../../support/free-port.ts';
import { asWritten } from '../../../support/profile-like.ts';
import { change } from '../outcomes/change-object.ts';
import { configFor } from '../start-davit.ts';
import { openTestCluster } from '../test-cluster.ts';

const cluster = await openTestCluster();
const registrationMs = 90_000;

let resources: AsyncDisposableStack;
let history: FollowedHistory;
let ci: CiServer;
/** Starts davit at the address that agents know. */
let start: () => Promise<DavitProcess>;
let davit: DavitProcess;
const asked: string[] = [];

beforeAll(async () => {
  resources = new AsyncDisposableStack();
  const directory = await mkdtemp(join(tmpdir(), 'restarted-'));
  resources.defer(() => rm(directory, { recursive: true }));
  ci = await startCiServer({ listen: cluster.hostIp });
  resources.defer(() => ci.stop());
  history = resources.use(await followHistory(cluster.kubeconfig));
  const profiles = {
    prompt: { profile: { labels: ['prompt'] } },
    gated: { profile: { labels: ['gated'] }, spec: { schedulingGates: [{ name: 'davit.dev/queue' }] } },
  };
  const configPath = join(directory, 'davit.yaml');
  const config = configFor(await readConfig('davit.yaml'), ci.url, profiles);
  await writeFile(configPath, JSON.stringify({ ...config, profiles: config.profiles.map(asWritten) }));
  const address = `${cluster.hostIp}:${await freePort(cluster.hostIp)}`;
  const args = ['--state', join(directory, 'state'), '--config', configPath, '--listen', address];
  start = () =>
    startDavitProcess([...args, '--public-url', `http://${address}`], { KUBECONFIG: cluster.kubeconfigPath });
  davit = await start();
}, 120_000);
afterAll(async () => {
  await davit[Symbol.asyncDispose]();
  await resources.disposeAsync();
});

test('agents continue while davit is dead, and each launch continues with its own Service and Pod when davit is back', async () => {
  const connected = await launch('prompt', 'connected');
  const { token } = await registrationOf(connected);
  const placing = await launch('gated', 'PollHostIP');
  const starting = await Promise.all(['1', '2', '3', '4'].map((job) => ask('prompt', job)));
  await davit.detail(new RegExp(` ${starting[3]} CreateService$`));

  await davit.kill('SIGKILL');
  const step = await ci.run(token, { run: ['sh', '-c', 'echo built'] });
  await openGate(placing);
  davit = await start();
  const underWay = [placing, ...starting];
  const launches = await Promise.all(underWay.map((launchId) => davit.launches.until(launchId, 'connected', 'failed')));
  const registrations = await Promise.all(underWay.map(registrationOf));
  const nodePorts = await Promise.all(underWay.map(nodePortOf));

  const agentNames = asked.map((launchId) => agentNameOf(launchId)).toSorted();
  expect(step).toEqual({ exitCode: 0, output: 'built\n' });
  expect(launches.map(({ status }) => status)).toEqual(underWay.map(() => 'connected'));
  expect(registrations.map((registration) => registration.token.port)).toEqual(nodePorts);
  expect((await history.created('services')).toSorted()).toEqual(agentNames);
  expect((await history.created('pods')).toSorted()).toEqual(agentNames);
  expect(await davit.launches.show(connected)).toMatchObject({ status: 'connected' });
});

test('in the end every launch ends, and nothing is left', async () => {
  await Promise.all(asked.map((launchId) => davit.launches.end(launchId)));
  const ended = asked.map((launchId) => davit.launches.until(launchId, 'terminated', 'failed'));
  const statuses = (await Promise.all(ended)).map(({ status }) => status);
  await history.untilNothingIsLeft();

  expect(statuses).toEqual(asked.map(() => 'terminated'));
});

/** Requests a launch and waits until davit shows it. */
async function launch(profile: string, stage: string): Promise<string> {
  const launchId = await ask(profile, stage);
  await davit.detail(new RegExp(` ${launchId} ${stage}$`));
  return launchId;
}

async function ask(profile: string, job: string): Promise<string> {
  const launchId = await davit.launches.request({ profile, jobId: `restarted ${profile} ${job}` });
  asked.push(launchId);
  return launchId;
}

function registrationOf(launchId: string) {
  return ci.registrationOf(agentNameOf(launchId), AbortSignal.timeout(registrationMs));
}

async function openGate(launchId: string): Promise<void> {
  const name = agentNameOf(launchId);
  await history.until('pods', ({ metadata }) => metadata.name === name);
  using api = openApi(cluster.kubeconfig);
  await change(api, `/api/v1/namespaces/davit-agents/pods/${name}`, { spec: { schedulingGates: null } });
}

async function nodePortOf(launchId: string): Promise<number | undefined> {
  const service = await history.object('services', agentNameOf(launchId));
  return ServiceView.parse(service).spec.ports?.[0]?.nodePort;
}

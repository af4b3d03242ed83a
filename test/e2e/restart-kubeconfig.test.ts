import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import * as z from 'zod';
import { agentNameOf, apiLaunchId } from '../../functions/domain/names.ts';
import { agentImages } from '../../local/agent/image.ts';
import type { RequestMatch } from '../../local/cluster/faults.ts';
import { readConfig } from '../../local/config/read-config.ts';
import { type CiServer, startCiServer } from '../../local/demo/ci-server.ts';
import { listen } from '../../local/loopback-server.ts';
import { type SandboxedCluster, saveKubeconfig, startSandbox } from '../../local/runtime/start-cluster.ts';
import { type ClusterHistory, keepHistory } from '../support/cluster-history.ts';
import { type DavitProcess, startDavitProcess } from './davit-process.ts';
import { registration } from './jobs.ts';
import { type RollCall, startRollCall } from './roll-call.ts';

jest.setTimeout(180_000);

let resources: AsyncDisposableStack;
let cluster: SandboxedCluster;
let history: ClusterHistory;
let rollCall: RollCall;
let ci: CiServer;
/** Starts davit in front of the cluster, where agents have been told that it is. */
let start: () => Promise<DavitProcess>;
let davit: DavitProcess;

beforeAll(async () => {
  resources = new AsyncDisposableStack();
  const directory = await mkdtemp(join(tmpdir(), 'restarted-'));
  resources.defer(() => rm(directory, { recursive: true }));
  rollCall = resources.use(await startRollCall());
  ci = await startCiServer();
  resources.defer(() => ci.stop());
  const configPath = join(directory, 'davit.yaml');
  await rollCall.writeConfig(configPath);
  cluster = resources.use(await startSandbox(await readConfig(configPath), directory, { images: agentImages(ci.url) }));
  await saveKubeconfig(cluster);
  history = resources.use(keepHistory(cluster.sandbox));

  const address = `127.0.0.1:${await freePort()}`;
  const args = ['--state', join(directory, 'state'), '--config', configPath, '--listen', address];
  const env = { KUBECONFIG: cluster.kubeconfigPath };
  start = () => startDavitProcess([...args, '--public-url', `http://${address}`], env);
  davit = await start();
});
afterAll(async () => {
  await davit[Symbol.asyncDispose]();
  await resources.disposeAsync();
});

test('each launch goes on with its own Service and Pod when davit is killed and starts again', async () => {
  const connected = await launch('prompt', 'connected');
  const before = await davit.launches.show(connected);
  const held = [
    await launch('held', 'AwaitAgent'),
    await launch('prompt', 'PollHostIP', { verb: 'watch', resource: 'pods' }),
    await launch('prompt', 'PollNodePort', { verb: 'get', resource: 'services' }),
    await launch('prompt', 'CreatePod', { verb: 'create', resource: 'pods' }),
    await launch('prompt', 'CreateService', { verb: 'create', resource: 'services' }),
  ];

  await davit.kill('SIGKILL');
  const lived = rollCall.alive();
  cluster.sandbox.faults.clear();
  rollCall.release();
  davit = await start();
  const launches = await Promise.all(held.map((launchId) => davit.launches.until(launchId, 'connected', 'failed')));
  const tokens = await Promise.all(launches.map(async (one) => (await registration({ ci }, one)).token));

  const agentNames = [connected, ...held].map((launchId) => agentNameOf(launchId)).toSorted();
  expect(launches.map(({ status }) => status)).toEqual(held.map(() => 'connected'));
  expect(tokens.map(({ port }) => port)).toEqual(held.map(nodePortOf));
  expect(history.created('services').toSorted()).toEqual(agentNames);
  expect(history.created('pods').toSorted()).toEqual(agentNames);
  expect(rollCall.alive()).toEqual(expect.arrayContaining(lived));
  expect(await davit.launches.show(connected)).toMatchObject({
    status: 'connected',
    connectedAt: before['connectedAt'],
  });
});

test('in the end every launch can be ended, and nothing is left', async () => {
  const names = [...history.created('pods')];
  const launchIds = names.map((name) => name.replace('davit-', ''));

  await Promise.all(launchIds.map((launchId) => davit.launches.end(launchId)));
  const launches = await Promise.all(
    launchIds.map((launchId) => davit.launches.until(launchId, 'terminated', 'failed')),
  );
  await history.untilNothingIsLeft();
  await rollCall.onlyLeft();

  expect(launches.map(({ status }) => status)).toEqual(names.map(() => 'terminated'));
});

/**
 * Asks for a launch and waits until davit says that it is there.
 *
 * @param hang the requests of this launch, and of those after it, that are never answered from now on
 */
async function launch(profile: string, stage: string, hang?: RequestMatch): Promise<string> {
  const jobId = `${profile} ${stage}`;
  const name = agentNameOf(apiLaunchId(jobId));
  if (hang !== undefined) {
    const match = hang.verb === 'get' ? { ...hang, name } : hang;
    cluster.sandbox.faults.add({ match, effect: { kind: 'hang' } });
  }
  const launchId = await davit.launches.request({ profile, jobId });
  await davit.says(new RegExp(` ${launchId} ${stage}$`));
  return launchId;
}

/** The port that the cluster says an agent is reached at. */
function nodePortOf(launchId: string): unknown {
  const service = cluster.sandbox.store
    .list('services')
    .find(({ metadata }) => metadata.name === agentNameOf(launchId));
  const [port] = z.object({ ports: z.array(z.object({ nodePort: z.int() })) }).parse(service?.spec).ports;
  return port?.nodePort;
}

/** A port that nobody has, and that can be had again and again. */
async function freePort(): Promise<number> {
  const server = createServer();
  const { port } = await listen(server, 0, '127.0.0.1');
  server.close();
  return port;
}

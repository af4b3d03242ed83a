import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as z from 'zod';
import { readConfig } from '../../../../core/config/read-config.ts';
import type { CompletedToken } from '../../../../core/launch/completed-token.ts';
import { agentNameOf, apiLaunchId, labelKeys } from '../../../../core/launch/names.ts';
import { ClusterView } from '../../../../functions/clusters/cluster-view-schema.ts';
import { type CiServer, startCiServer } from '../../../../local/demo/ci-server.ts';
import { RuntimePlaces, runtimeFile } from '../../../../local/runtime/runtime-places.ts';
import { type ApiClient, openApi } from '../../../contract/api-client.ts';
import { type DavitProcess, startDavitProcess } from '../../../e2e/davit-process.ts';
import { type FollowedHistory, followHistory } from '../../../support/followed-history.ts';
import { freePort } from '../../../support/free-port.ts';
import { contextOf, mergedKubeconfig } from '../../../support/merged-kubeconfig.ts';
import { asWritten } from '../../../support/profile-like.ts';
import { type AgentEnv, agentEnvOf, readAgentEnv } from '../../on-cluster/agent-env.ts';
import { type BreakableLine, startBreakableLine } from '../breakable-line.ts';
import { namespace } from '../credentials.ts';
import { untilRelaunched } from '../outcomes/containers.ts';
import { machineIp } from '../plan.ts';
import { configFor } from '../start-davit.ts';
import { openTestCluster, startTemporaryCluster, type TemporaryCluster } from '../test-cluster.ts';
import { until } from '../until.ts';

const near = await openTestCluster();
const patienceMs = 120_000;
const apiServer = 'kube-apiserver';
const createsPod = `POST /api/v1/namespaces/${namespace}/pods HTTP/1.1`;
const Items = z.object({
  items: z.array(z.object({ metadata: z.object({ name: z.string(), deletionTimestamp: z.string().optional() }) })),
});

let resources: AsyncDisposableStack;
let directory: string;
let far: TemporaryCluster;
let line: BreakableLine;
let api: Readonly<Record<'near' | 'far', ApiClient>>;
let history: FollowedHistory;
let ci: CiServer;
let davit: DavitProcess;
/** The agent that stays connected in the far cluster. */
let connected: { launchId: string; agentName: string; token: CompletedToken };
/** The agents that have connected since then. */
const registered: string[] = [];

beforeAll(async () => {
  resources = new AsyncDisposableStack();
  directory = await mkdtemp(join(tmpdir(), 'two-clusters-'));
  resources.defer(() => rm(directory, { recursive: true }));
  far = resources.use(await startTemporaryCluster({}));
  line = resources.use(await startBreakableLine(far));
  api = { near: resources.use(openApi(near.kubeconfig)), far: resources.use(openApi(far.kubeconfig)) };
  history = resources.use(await followHistory(far.kubeconfig));
  const accept = async ({ agentName }: { agentName: string }) => void registered.push(agentName);
  ci = await startCiServer({ listen: machineIp, accept });
  resources.defer(() => ci.stop());
  davit = resources.use(await startDavit());
  const launchId = await request('far-only', 'connected');
  connected = { launchId, ...(await registrationOf(agentNameOf(launchId))) };
  // kube-proxy refuses connections until it knows the endpoint, and a frozen API server cannot tell it.
  await until('the agent can be reached', patienceMs, () =>
    ci.run(connected.token, { run: ['sh', '-c', 'exit 0'] }).catch(() => undefined),
  );
  registered.length = 0;
}, 180_000);
afterAll(() => resources.disposeAsync());

/** davit reaches the far cluster over the line, and prefers it. */
async function startDavit(): Promise<DavitProcess> {
  const clusters = ['far', 'near'];
  const several = { clusters, strategy: 'ordered', failoverSeconds: 3 } as const;
  const added = {
    prompt: { profile: { ...several, labels: ['prompt'] } },
    held: { agent: untilRelaunched(), profile: { ...several, labels: ['held'] } },
    'far-only': { profile: { clusters: ['far'], labels: ['far-only'] } },
  };
  const { profiles, ...others } = configFor(await readConfig('davit.yaml'), ci.url, added);
  const config = {
    ...others,
    clusters: clusters.map((name) => ({ name, kubeconfigSecret: `kubeconfig-${name}` })),
    profiles: profiles.filter(({ name }) => Object.hasOwn(added, name)).map(asWritten),
  };
  const configPath = join(directory, 'davit.yaml');
  await writeFile(configPath, JSON.stringify(config));
  const KUBECONFIG = join(directory, 'kubeconfig');
  await writeFile(KUBECONFIG, mergedKubeconfig({ far: line.kubeconfig, near: near.kubeconfig }), { mode: 0o600 });
  const contexts = clusters.flatMap((name) => ['--cluster', `${name}=${contextOf(name)}`]);
  const address = `${machineIp}:${await freePort(machineIp)}`;
  const args = ['--config', configPath, '--state', join(directory, 'state'), '--listen', address];
  return startDavitProcess([...args, '--public-url', `http://${address}`, ...contexts], { KUBECONFIG });
}

/** The ways in which the far cluster goes away as a Pod is created there, and how it comes back. */
const outages = {
  frozen: {
    begin: (launchId: string) => as(launchId, 'CreatePod', () => far.signal(apiServer, 'SIGSTOP')),
    end: () => far.signal(apiServer, 'SIGCONT'),
    isPodLate: false,
  },
  'cut off, and what was sent arrives in the end': {
    begin: () => line.cutOffAt(createsPod),
    end: async () => line.mend(),
    isPodLate: true,
  },
  killed: {
    begin: (launchId: string) => as(launchId, 'CreatePod', () => far.signal(apiServer, 'SIGKILL')),
    end: () => far.start(apiServer),
    isPodLate: false,
  },
};

describe.each(Object.entries(outages))('a cluster whose API server is %s', (outage, { begin, end, isPodLate }) => {
  test('loses its launches to the other one, each of which gets one agent', async () => {
    await untilFarIs(true);
    const held = await request('held', `${outage} held`);
    await enters(held, 'PublishToken');
    const left = await readAgentEnv(api.far, agentNameOf(held));

    const late = apiLaunchId(`${outage} late`);
    const isGone = begin(late);
    await request('prompt', `${outage} late`);
    await isGone;
    const waiting = await request('far-only', `${outage} waiting`);
    const away = await untilFarIs(false);
    const signal = await until('the launch reports what it waits for', patienceMs, async () => {
      const shown = await davit.launches.show(waiting);
      return shown.signal?.detail.includes('; next attempt ') ? shown.signal : undefined;
    });
    const elsewhere = await request('prompt', `${outage} elsewhere`);
    const moved = [held, late];
    for (const launchId of moved) await registrationOf(agentNameOf(launchId, 2));
    await registrationOf(agentNameOf(elsewhere));
    const step = await ci.run(connected.token, { run: ['sh', '-c', 'echo built'] });
    const unaware = await davit.launches.show(connected.launchId);
    const refused = [await connectAs(left)];
    await davit.launches.end(waiting);

    await end();
    const back = await untilFarIs(true);
    if (isPodLate) {
      const pod = await history.until('pods', ({ metadata }) => metadata.name === agentNameOf(late));
      refused.push(await connectAs(agentEnvOf(pod)));
    }
    await until('the sweep removes what the launches left', patienceMs, async () => {
      await sweep();
      return (await namesIn('far')).join() === connected.agentName || undefined;
    });
    const launches = await Promise.all(moved.map((launchId) => davit.launches.show(launchId)));
    const agents = [elsewhere, ...moved];
    const others = (await namesIn('near')).filter((name) => agents.some((launchId) => name.includes(launchId)));
    await Promise.all(agents.map((launchId) => davit.launches.end(launchId)));
    await Promise.all([...agents, waiting].map((launchId) => davit.launches.until(launchId, 'terminated')));

    expect(away.reason).toMatch(/^(TimedOut|Unreachable|ServerFault)$/);
    expect(signal).toMatchObject({ code: 'ClusterUnreachable' });
    expect(signal.detail).toMatch(
      /^cluster far is away \(\w+ since \S+ after \d+ attempts; next attempt (at \S+|within a minute)\): /,
    );
    expect(back.history.slice(0, 2)).toMatchObject([{ connected: true }, { connected: false }]);
    expect(step).toEqual({ exitCode: 0, output: 'built\n' });
    expect(unaware.status).toBe('connected');
    expect(unaware.signal).toBeUndefined();
    for (const [index, launchId] of moved.entries()) {
      expect(launches[index]).toMatchObject({
        status: 'connected',
        agentName: agentNameOf(launchId, 2),
        plan: { cluster: 'near', generation: 2 },
        generations: [{ agentName: agentNameOf(launchId), cluster: 'far', code: 'ClusterAway' }],
      });
    }
    expect(refused).toEqual(refused.map(() => 410));
    expect(others.toSorted()).toEqual([agentNameOf(elsewhere), ...moved.map((id) => agentNameOf(id, 2))].toSorted());
    expect(registered.splice(0).toSorted()).toEqual(others.toSorted());
  });
});

/** Requests a launch. @returns its id */
function request(profile: string, jobId: string): Promise<string> {
  return davit.launches.request({ profile, jobId });
}

async function enters(launchId: string, state: string): Promise<void> {
  await davit.detail(new RegExp(` ${launchId} ${state}$`));
}

async function as(launchId: string, state: string, act: () => Promise<void>): Promise<void> {
  await enters(launchId, state);
  await act();
}

function registrationOf(agentName: string) {
  return ci.registrationOf(agentName, AbortSignal.timeout(patienceMs));
}

function untilFarIs(isConnected: boolean): Promise<ClusterView> {
  return until(`the far cluster is ${isConnected ? 'connected' : 'away'}`, patienceMs, async () => {
    const { body } = await davit.launches.get('/clusters/far');
    const cluster = z.parse(ClusterView, body);
    return cluster.connected === isConnected ? cluster : undefined;
  });
}

/** Asks for a token. @returns the answer's status */
async function connectAs({ connectUrl, credential }: AgentEnv): Promise<number> {
  const headers = { authorization: `Bearer ${credential}` };
  return (await fetch(connectUrl, { method: 'POST', headers })).status;
}

/** Sweeps once, now. */
async function sweep(): Promise<void> {
  const state = join(directory, 'state');
  const { url } = RuntimePlaces.parse(JSON.parse(await readFile(join(state, runtimeFile), 'utf8')));
  const authorization = `Bearer ${await readFile(join(state, 'launches-token'), 'utf8')}`;
  const headers = { authorization, 'content-type': 'application/json' };
  const answer = await fetch(`${url}/sweeps`, { method: 'POST', headers, body: JSON.stringify({ graceSeconds: 0 }) });
  expect(answer.status).toBe(200);
}

/**
 * The agents that have a Service or a Pod without a deletion timestamp: after an outage a kubelet is slow to reconnect.
 */
async function namesIn(cluster: 'near' | 'far'): Promise<string[]> {
  const selector = encodeURIComponent(`${labelKeys.managedBy}=davit`);
  const lists = ['services', 'pods'].map((resource) =>
    api[cluster].send(`/api/v1/namespaces/${namespace}/${resource}?labelSelector=${selector}`),
  );
  const found = (await Promise.all(lists)).flatMap(({ body }) => Items.parse(body).items);
  const staying = found.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  return [...new Set(staying.map(({ metadata }) => metadata.name))];
}

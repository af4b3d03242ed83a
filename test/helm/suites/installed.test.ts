import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import * as z from 'zod';
import { davitVersion } from '../../../core/version.ts';
import { type CiServer, startCiServer } from '../../../local/demo/ci-server.ts';
import { apply } from '../../cluster/apply.ts';
import { create } from '../../cluster/node-objects.ts';
import { killCgroup, processesIn } from '../../cluster/nodes/cgroups.ts';
import { dropPolicies, enforcePolicies } from '../../cluster/nodes/enforce-policies.ts';
import { startTemporaryCluster, type TemporaryCluster } from '../../cluster/test-cluster.ts';
import { until } from '../../cluster/until.ts';
import { type ApiClient, openApi } from '../../contract/api-client.ts';
import { buildImage, imageName } from '../image.ts';
import { chart, type Release, releaseName, releaseOn, rendered } from '../release.ts';
import { configOf, profileOf } from '../values.ts';

/** The Service's address, because the cluster has no DNS. */
const serviceIp = '10.96.7.7';
const waiting = ['--wait', '--timeout', '120s'];
const slowMs = 300_000;

let resources: AsyncDisposableStack;
let cluster: TemporaryCluster;
let api: ApiClient;
let ci: CiServer;
let release: Release;
let values: object;

beforeAll(async () => {
  resources = new AsyncDisposableStack();
  const archive = await buildImage();
  cluster = resources.use(await startTemporaryCluster({ nodes: 2 }));
  api = resources.use(openApi(cluster.kubeconfig));
  ci = await startCiServer({ listen: cluster.hostIp });
  resources.defer(() => ci.stop());
  await Promise.all(cluster.nodes.map((node) => importImage(node, archive)));
  const volume = join(cluster.kubeconfigPath, '..', 'volume');
  await mkdir(volume);
  await create(api, '/api/v1/persistentvolumes', volumeAt(volume));
  release = releaseOn(cluster, api, volume);
  values = valuesWith(profileOf('linux', ci.url));
  await release.helm(['install', releaseName, chart, '--create-namespace', ...waiting], values);
}, 900_000);
afterAll(() => resources.disposeAsync());

test('a signed webhook brings up an agent, which runs a step and goes with its job', async () => {
  const job = nextJob();
  const { github, launches } = await release.open();
  const launchId = await queue(job);

  const { agentName } = await launches.until(launchId, 'connected');
  const { token } = await ci.registrationOf(agentName, AbortSignal.timeout(60_000));
  const step = await ci.run(token, { run: ['/bin/sh', '-c', 'echo from the agent'] });
  await github.deliver({ ...job, runner: { id: 1, name: agentName } }, 'completed');

  expect(step).toEqual({ exitCode: 0, output: 'from the agent\n' });
  expect(await launches.until(launchId, 'terminated', 'failed')).toMatchObject({ status: 'terminated' });
});

test("helm test passes, and the commands in davit's Pod find their davit", async () => {
  const tested = await release.helm(['test', releaseName]);

  expect(tested).toMatch(/Phase:\s+Succeeded/);
  expect(await release.exec('davit', 'doctor')).toContain('the caller has the 12 rights that davit needs');
  expect(await release.exec('davit', 'list')).toContain('terminated');
});

test("the API server's schemas and admission accept each object of the chart", async () => {
  const everything = {
    ...valuesWith({ ...profileOf('linux', ci.url), hostAddress: 'nodeExternalIP' }),
    service: {},
    secrets: [{ name: 'davit/token', secretName: 'ci', key: 'token' }],
    ingress: { enabled: true, className: 'nginx', host: 'davit.example', tlsSecretName: 'tls', agents: true },
    networkPolicy: { ingressFrom: [{ namespaceSelector: {} }], egress: [{ ports: [{ protocol: 'TCP', port: 3000 }] }] },
    otlp: { url: 'http://collector:4318' },
    env: [{ name: 'TZ', value: 'UTC' }],
    tolerations: [{ operator: 'Exists' }],
    nodeSelector: { 'kubernetes.io/os': 'linux' },
    affinity: { nodeAffinity: {} },
    imagePullSecrets: [{ name: 'registry' }],
  };
  const objects = parseAllDocuments(await rendered(everything, 'other', releaseName)).flatMap(
    (each) => each.toJS() ?? [],
  );

  for (const object of objects) await apply(api, namespaced(object), { isDryRun: true });

  expect(objects.map(({ kind }) => kind)).toEqual(expect.arrayContaining(['Ingress', 'StatefulSet', 'ClusterRole']));
});

test('under its NetworkPolicies, an agent reaches davit and not the API server', async () => {
  const { launches } = await release.open();
  const { agentName } = await launches.until(await queue(nextJob()), 'connected');
  const { token } = await ci.registrationOf(agentName, AbortSignal.timeout(60_000));
  const reach = (url: string) => ci.run(token, { run: ['curl', '--silent', '--insecure', '--max-time', '5', url] });

  const before = await reach('https://10.96.0.1/readyz');
  await enforcePolicies(cluster, api, 'helm-agents');
  const [davit, apiServer] = [await reach(`http://${serviceIp}/readyz`), await reach('https://10.96.0.1/readyz')];
  await enforcePolicies(cluster, api, releaseName);
  const launched = await launches.until(await queue(nextJob()), 'connected', 'failed');
  await dropPolicies(cluster);

  expect(before.exitCode).toBe(0);
  expect([davit.exitCode, apiServer.exitCode]).toEqual([0, 7]);
  expect(launched.status).toBe('connected');
});

test('a davit that is killed with -9 goes on with what it accepted', async () => {
  const accepted = await queue(nextJob());

  await killDavit();

  await untilAnswers();
  const { launches } = await release.open();
  expect(await launches.until(accepted, 'connected', 'failed')).toMatchObject({ status: 'connected' });
});

test(
  'an upgrade and a rollback lose no launch, and a rollback mends an upgrade whose Pod cannot start',
  async () => {
    const before = await queue(nextJob());
    const upgraded = {
      ...values,
      ...valuesWith(profileOf('linux', ci.url), profileOf('second', ci.url)),
      image: imageOf('next'),
    };

    await release.helm(['upgrade', releaseName, chart, ...waiting], upgraded);
    const second = await queue(nextJob('second'));
    await (await release.open()).launches.until(second, 'connected');
    const broken = { ...upgraded, image: imageOf('missing') };
    const attempt = release.helm(['upgrade', releaseName, chart, '--wait', '--timeout', '10s'], broken);
    await expect(attempt).rejects.toThrow('exit code 1');
    await release.helm(['rollback', releaseName, '1', ...waiting]);

    const { launches } = await release.open();
    const ids = [before, second, await queue(nextJob())];
    const known = await Promise.all(ids.map((launchId) => launches.until(launchId, 'connected', 'failed')));
    expect(known.map(({ status }) => status)).toEqual(['connected', 'connected', 'connected']);
    expect((await launches.show(before)).generations ?? []).toEqual([]);
  },
  slowMs,
);

test(
  'when its node is lost, davit goes on at another one with its volume',
  async () => {
    const [lost, accepted] = [await release.node(), await queue(nextJob())];

    await loseNode(lost);
    const taint = { key: 'node.kubernetes.io/out-of-service', value: 'nodeshutdown', effect: 'NoExecute' };
    await change(`/api/v1/nodes/${lost}`, { spec: { taints: [taint] } });
    await until('davit runs elsewhere', slowMs, async () => (await release.node()) !== lost);

    await untilAnswers();
    const { launches } = await release.open();
    const later = await queue(nextJob());
    const known = await Promise.all(
      [accepted, later].map((launchId) => launches.until(launchId, 'connected', 'failed')),
    );
    expect(known.map(({ status }) => status)).toEqual(['connected', 'connected']);
  },
  2 * slowMs,
);

let lastJob = 0;
function nextJob(label = 'linux') {
  lastJob += 1;
  return { id: 9000 + lastJob, labels: [label] };
}

/** Delivers a job's webhook. @returns the id of its launch */
async function queue(job: ReturnType<typeof nextJob>): Promise<string> {
  const { github } = await release.open();
  const { status, body } = await github.deliver(job, 'queued');
  if (status !== 202) throw new Error(`the webhook was answered ${status} ${JSON.stringify(body)}`);
  return z.object({ launchId: z.string() }).parse(body).launchId;
}

/** Kills every process of davit's container. */
async function killDavit(): Promise<void> {
  const pids = await processesIn(`${cgroupOfCluster()}/${await release.node()}-pods`, { below: true });
  const words = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')));
  const own = pids.filter((_pid, index) => words[index]?.includes('--in-cluster'));
  if (own.length === 0) throw new Error('no process of davit runs');
  for (const pid of own) process.kill(pid, 'SIGKILL');
}

/** Ends everything that Kubernetes has on a node. The control plane runs on the first node, and stays. */
async function loseNode(name: string): Promise<void> {
  for (const component of ['kubelet', 'containerd', 'kube-proxy'])
    await killCgroup(`${cgroupOfCluster()}/${name}-${component}`);
  await killCgroup(`${cgroupOfCluster()}/${name}-pods`);
}

function cgroupOfCluster(): string {
  const [, number = ''] = /^10\.250\.(\d+)\.1$/.exec(cluster.hostIp) ?? [];
  return `davit-${number}`;
}

async function untilAnswers(): Promise<void> {
  await until('davit is ready', slowMs, async () => {
    const { launches } = await release.open();
    return (await launches.get('/launches')).status === 200;
  });
}

async function importImage(node: TemporaryCluster['nodes'][number], archive: string): Promise<void> {
  const ctr = (...args: string[]) => cluster.runOn(node, 'ctr', ['--namespace', 'k8s.io', 'images', ...args]);
  await ctr('import', archive);
  await ctr('tag', `${imageName}:${davitVersion}`, `${imageName}:next`);
}

function imageOf(tag: string): object {
  return { repository: imageName, tag, pullPolicy: 'Never' };
}

function valuesWith(...profiles: object[]): object {
  return {
    image: imageOf(davitVersion),
    service: { clusterIP: serviceIp },
    publicUrl: `http://${serviceIp}`,
    persistence: { storageClass: 'block' },
    config: configOf(...profiles),
  };
}

/** A disk that each of the nodes can attach. */
function volumeAt(path: string): object {
  const anyNode = { key: 'kubernetes.io/hostname', operator: 'In', values: cluster.nodes.map(({ name }) => name) };
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name: 'davit-state' },
    spec: {
      capacity: { storage: '5Gi' },
      accessModes: ['ReadWriteOnce'],
      persistentVolumeReclaimPolicy: 'Retain',
      storageClassName: 'block',
      local: { path },
      nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions: [anyNode] }] } },
    },
  };
}

/** helm adds the release's namespace to objects without one. */
function namespaced(object: { kind: string; metadata: { namespace?: string } }): object {
  const isClusterWide = /^(Namespace|Cluster|ValidatingAdmission)/.test(object.kind);
  return isClusterWide ? object : { ...object, metadata: { namespace: releaseName, ...object.metadata } };
}

async function change(path: string, patch: object): Promise<void> {
  const contentType = 'application/merge-patch+json';
  const { status, text } = await api.send(path, { method: 'PATCH', body: patch, contentType });
  if (status !== 200) throw new Error(`PATCH ${path}: ${status} ${text}`);
}

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { parseAllDocuments } from 'yaml';
import * as z from 'zod';
import { davitVersion } from '../../../../core/version.ts';
import { type CiServer, startCiServer } from '../../../../local/demo/ci-server.ts';
import { type ApiClient, openApi } from '../../../contract/api-client.ts';
import { apply } from '../../cluster/apply.ts';
import { create } from '../../cluster/node-objects.ts';
import { dropPolicies, enforcePolicies } from '../../cluster/nodes/enforce-policies.ts';
import { startTemporaryCluster, type TemporaryCluster } from '../../cluster/test-cluster.ts';
import { until } from '../../cluster/until.ts';
import { killDavit, loseNode } from '../break-davit.ts';
import { buildImage, imageName, importImage } from '../image.ts';
import { chart, type Release, releaseName, releaseOn, rendered } from '../release.ts';
import { imageOf, profileOf, serviceIp, valuesWith, west } from '../values.ts';
import { createVolume, volumeOf } from '../volume.ts';

const waiting = ['--wait', '--timeout', '120s'];
const patienceMs = 120_000;

let resources: AsyncDisposableStack;
let cluster: TemporaryCluster;
let api: ApiClient;
let ci: CiServer;
let release: Release;

beforeAll(async () => {
  resources = new AsyncDisposableStack();
  const archive = await buildImage();
  cluster = resources.use(await startTemporaryCluster({ nodes: 2 }));
  api = resources.use(openApi(cluster.kubeconfig));
  ci = await startCiServer({ listen: cluster.hostIp });
  resources.defer(() => ci.stop());
  await Promise.all(cluster.nodes.map((node) => importTagged(node, archive)));
  await createVolume(cluster, api);
  release = releaseOn(cluster, api, volumeOf(cluster));
  await create(api, '/api/v1/namespaces', { metadata: { name: releaseName } });
  await create(api, `/api/v1/namespaces/${releaseName}/secrets`, {
    metadata: { name: west.secret.secretName },
    stringData: { [west.secret.key]: cluster.kubeconfig },
  });
  const inWest = { ...profileOf('west', ci.url), clusters: ['west'], namespace: 'davit-agents' };
  const values = valuesWith(profileOf('linux', ci.url), inWest);
  await release.helm(['install', releaseName, chart, ...waiting], values);
}, 900_000);
afterAll(() => resources.disposeAsync());

test('a signed webhook brings up an agent, which runs a step and goes with its job', async () => {
  const job = nextJob();
  const { github, launches } = await release.open();
  const launchId = await queue(job);

  const { agentName } = await launches.until(launchId, 'connected');
  const { token } = await ci.registrationOf(agentName, AbortSignal.timeout(patienceMs));
  const step = await ci.run(token, { run: ['/bin/sh', '-c', 'echo from the agent'] });
  await github.deliver({ ...job, runner: { id: 1, name: agentName } }, 'completed');

  expect(step).toEqual({ exitCode: 0, output: 'from the agent\n' });
  expect(await launches.until(launchId, 'terminated', 'failed')).toMatchObject({ status: 'terminated' });
});

test('a launch goes to a further cluster, by the kubeconfig of a Secret', async () => {
  const { launches } = await release.open();

  const launch = await launches.until(await queue(nextJob('west')), 'connected', 'failed');

  expect(launch).toMatchObject({ status: 'connected', plan: { cluster: 'west' } });
  // The account of davit's own cluster has no rights there.
  expect(await release.exec('davit', 'doctor')).toMatch(/ok +cluster west: davit-agents: the caller has the 12 rights/);
});

test("helm test passes, and the commands in davit's Pod find their davit", async () => {
  const tested = await release.helm(['test', releaseName]);

  expect(tested).toMatch(/Phase:\s+Succeeded/);
  expect(await release.exec('davit', 'doctor')).toContain('the caller has the 12 rights that davit needs');
  expect(await release.exec('davit', 'list')).toContain('terminated');
});

test('the backup of docs/install-helm.md is a whole copy', async () => {
  const documented = /node --eval "\n([^"]+)"/.exec(await readFile('docs/install-helm.md', 'utf8'))?.[1] ?? '';

  await release.exec('node', '--eval', documented);

  using copy = new DatabaseSync(join(volumeOf(cluster), '.davit', 'backup.sqlite'), { readOnly: true });
  expect(copy.prepare('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' });
  expect(copy.prepare('SELECT count(*) AS launches FROM launch').get()).toEqual({ launches: lastJob });
});

test("the API server's schemas and admission accept each object of the chart", async () => {
  const everything = {
    ...valuesWith({ ...profileOf('linux', ci.url), hostAddress: 'nodeExternalIP' }),
    service: {},
    secrets: [{ name: 'davit/token', secretName: 'ci', key: 'token' }],
    ingress: { enabled: true, className: 'nginx', host: 'davit.example', tlsSecretName: 'tls', agents: true },
    networkPolicy: { ingressFrom: [{ namespaceSelector: {} }], egress: [{ ports: [{ protocol: 'TCP', port: 3000 }] }] },
    otlp: { url: 'http://collector:4318' },
    metrics: { enabled: true },
    env: [{ name: 'TZ', value: 'UTC' }],
    tolerations: [{ operator: 'Exists' }],
    nodeSelector: { 'kubernetes.io/os': 'linux' },
    affinity: { nodeAffinity: {} },
    imagePullSecrets: [{ name: 'registry' }],
  };
  const documents = parseAllDocuments(await rendered(everything, 'other', releaseName));
  const objects = documents.flatMap((each) => each.toJS() ?? []);

  for (const object of objects) await apply(api, namespaced(object), { isDryRun: true });

  expect(objects.map(({ kind }) => kind)).toEqual(expect.arrayContaining(['Ingress', 'StatefulSet', 'ClusterRole']));
});

test('under its NetworkPolicies, an agent reaches davit and not the API server', async () => {
  const { launches } = await release.open();
  const { agentName } = await launches.until(await queue(nextJob()), 'connected');
  const { token } = await ci.registrationOf(agentName, AbortSignal.timeout(patienceMs));
  const reach = (url: string) => ci.run(token, { run: ['curl', '--silent', '--insecure', '--max-time', '5', url] });

  const before = await reach('https://10.96.0.1/readyz');
  await enforcePolicies(cluster, api, 'helm-agents');
  const [davit, apiServer] = [await reach(`http://${serviceIp}/readyz`), await reach('https://10.96.0.1/readyz')];
  await enforcePolicies(cluster, api, releaseName);
  const launched = await launches.until(await queue(nextJob()), 'connected', 'failed');
  await dropPolicies(cluster);

  expect(before.exitCode).toBe(0);
  // curl's exit code 7: refused
  expect([davit.exitCode, apiServer.exitCode]).toEqual([0, 7]);
  expect(launched.status).toBe('connected');
});

test('a davit that is killed with -9 goes on with what it accepted', async () => {
  const accepted = await queue(nextJob());

  await killDavit(cluster, await release.node());

  await expectConnected(accepted);
});

test('an upgrade and a rollback lose no launch, and a rollback mends an upgrade whose Pod cannot start', async () => {
  const before = await queue(nextJob());
  const added = { ...profileOf('added', ci.url), namespace: 'helm-agents-added' };
  const upgraded = { ...valuesWith(profileOf('linux', ci.url), added), image: imageOf('next') };
  const job = nextJob('added');

  await release.helm(['upgrade', releaseName, chart, ...waiting], upgraded);
  const ofAdded = await queue(job);
  await expectConnected(ofAdded);
  const broken = { ...upgraded, image: imageOf('missing') };
  const attempt = release.helm(['upgrade', releaseName, chart, '--wait', '--timeout', '10s'], broken);
  await expect(attempt).rejects.toThrow('exit code 1');
  await release.helm(['rollback', releaseName, '1', ...waiting]);

  await expectConnected(before, ofAdded, await queue(nextJob()));
  const { github, launches } = await release.open();
  expect((await launches.show(before)).generations ?? []).toEqual([]);
  // The version before knows neither the profile nor its namespace, but it ends the launch there.
  const { agentName } = await launches.show(ofAdded);
  await github.deliver({ ...job, runner: { id: 2, name: agentName } }, 'completed');
  expect(await launches.until(ofAdded, 'terminated', 'failed')).toMatchObject({ status: 'terminated' });
});

test('when its node is lost, davit goes on at another one with its volume', async () => {
  const [lost, accepted] = [await release.node(), await queue(nextJob())];

  await loseNode(cluster, lost);
  const taint = { key: 'node.kubernetes.io/out-of-service', value: 'nodeshutdown', effect: 'NoExecute' };
  await change(`/api/v1/nodes/${lost}`, { spec: { taints: [taint] } });
  await until('davit runs elsewhere', patienceMs, async () => (await release.node()) !== lost);

  await expectConnected(accepted, await untilAccepted());
});

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

/** Delivers the next job's webhook until davit, which starts, takes it. */
function untilAccepted(): Promise<string> {
  const job = nextJob();
  return until('davit takes webhooks', patienceMs, () => queue(job));
}

/** Waits for launches of a davit that may not answer yet. */
async function expectConnected(...ids: string[]): Promise<void> {
  await until('davit answers', patienceMs, async () => {
    const { launches } = await release.open();
    return (await launches.get('/launches')).status === 200;
  });
  const { launches } = await release.open();
  const shown = await Promise.all(ids.map((launchId) => launches.until(launchId, 'connected', 'failed')));
  expect(shown.map(({ status }) => status)).toEqual(ids.map(() => 'connected'));
}

/** Gives a node the image under a second tag, too. */
async function importTagged(node: TemporaryCluster['nodes'][number], archive: string): Promise<void> {
  await importImage(cluster, node, archive);
  const tags = [davitVersion, 'next'].map((tag) => `${imageName}:${tag}`);
  await cluster.runOn(node, 'ctr', ['--namespace', 'k8s.io', 'images', 'tag', ...tags]);
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

import { openClusterHealth } from '../../adapters/kubernetes/open-clusters.ts';
import type { ClusterHealth } from '../../ports/cluster.ts';
import type { FaultRule, RequestMatch } from '../../sandbox/faults.ts';
import { kubernetesVersion } from '../../sandbox/kubernetes-version.ts';
import { type SandboxCluster, startSandboxCluster } from '../../sandbox/sandbox-cluster.ts';
import { byKubeconfig } from '../support/by-kubeconfig.ts';
import { newFolder } from '../support/new-folder.ts';

const namespace = 'davit-agents';
let sandbox: SandboxCluster;
let health: ClusterHealth;

/** @param callMs how long a call may take: short only where nothing answers */
async function open(kubeconfig: string, callMs = 30_000): Promise<ClusterHealth> {
  const read = async () => kubeconfig;
  const patience = { callMs, silenceMs: 10_000, pauseMs: 10 };
  const secrets = byKubeconfig({ read, refresh: read });
  return openClusterHealth([{ name: 'cluster', kubeconfigSecret: 'kubeconfig' }], secrets, patience)('cluster');
}

beforeAll(async () => {
  sandbox = await startSandboxCluster({ namespace, node: { stateDirectory: newFolder(), images: {} } });
  health = await open(sandbox.kubeconfig);
});
afterEach(() => sandbox.faults.clear());
afterAll(async () => {
  await sandbox.stop();
});

async function lookAndProve(callMs?: number): Promise<object> {
  const opened = await open(sandbox.kubeconfig, callMs);
  return opened.prove(namespace, await opened.look(namespace));
}

function fault(match: RequestMatch, effect: FaultRule['effect']): void {
  sandbox.faults.add({ match, effect });
}

test('a look at a healthy cluster takes one list, and a proof covers what launches need and leaves nothing', async () => {
  const from = sandbox.faults.requests.length;

  const resourceVersion = await health.look(namespace);
  const proof = await health.prove(namespace, resourceVersion);

  const asked = sandbox.faults.requests.slice(from).map(({ verb, resource }) => `${verb} ${resource}`);
  expect(asked).toEqual(['list pods', 'watch pods', 'create pods']);
  expect(proof).toEqual({ version: expect.stringContaining(kubernetesVersion) });
  expect(sandbox.store.list('pods', namespace)).toEqual([]);
});

const forbidden = {
  code: 403,
  reason: 'Forbidden',
  message: 'pods is forbidden: User "davit" cannot create resource "pods" in the namespace "davit-agents"',
};

test.each<[string, RequestMatch, FaultRule['effect'], object]>([
  ['that does not answer', { verb: 'list' }, { kind: 'hang' }, { code: 'ClusterUnreachable', reason: 'TimedOut' }],
  ['that breaks off', { verb: 'list' }, { kind: 'drop', when: 'before' }, { code: 'ClusterUnreachable' }],
  ['whose watches hang', { verb: 'watch' }, { kind: 'hang' }, { code: 'ClusterUnreachable', reason: 'TimedOut' }],
  ['that permits no creates', { verb: 'create' }, { kind: 'answer', answer: forbidden }, { code: 'ClusterForbidden' }],
  [
    'whose admission webhook is down',
    { verb: 'create' },
    { kind: 'answer', answer: { code: 500, reason: 'InternalError', message: 'failed calling webhook "x.example"' } },
    { code: 'AdmissionUnavailable' },
  ],
])('a cluster %s proves nothing', async (_what, match, effect, expected) => {
  fault(match, effect);

  await expect(lookAndProve(effect.kind === 'hang' ? 300 : undefined)).rejects.toMatchObject(expected);
});

test.each([
  ['a full quota', { code: 403, reason: 'Forbidden', message: 'pods "x" is forbidden: exceeded quota: agents' }],
  ['a policy that wants more of the Pod', { code: 422, reason: 'Invalid', message: 'spec.nodeName: Required value' }],
])('%s counts as an answer of a working cluster', async (_what, answer) => {
  fault({ verb: 'create' }, { kind: 'answer', answer });

  expect(await lookAndProve()).toEqual({ version: expect.stringContaining(kubernetesVersion) });
});

test('a server with an untrusted certificate is distinguished from a missing one', async () => {
  const untrusted = sandbox.kubeconfig.replace(/certificate-authority-data: .+/, 'x-no-authority: none');
  const away = sandbox.kubeconfig.replace(/(server: https:\/\/[^:]+:)\d+/, '$11');

  await expect((await open(untrusted)).look(namespace)).rejects.toMatchObject({ reason: 'TLSFailed' });
  await expect((await open(away)).look(namespace)).rejects.toMatchObject({ reason: 'Unreachable' });
});

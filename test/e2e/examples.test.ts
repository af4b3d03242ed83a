import { join } from 'node:path';
import { Config } from '../../core/config/config.ts';
import { agentNameOf, apiLaunchId } from '../../core/launch/names.ts';
import type { ImageTable } from '../../sandbox/node/image-pull.ts';
import type { Taint } from '../../sandbox/node/scheduling.ts';
import { configOfExample, exampleNames, manifestsOf } from '../support/examples.ts';
import { startTestRuntime, type TestRuntime } from '../support/start-test-runtime.ts';

/** Every profile of the examples, as `caches-s3`, in the sandbox. */
function withExamples({ clusters, ciSystems }: Config): Config {
  const profiles = exampleNames.flatMap((example) =>
    configOfExample(example).profiles.map((profile) => {
      return { ...profile, name: `${example}-${profile.name}`, clusters: ['sandbox'] };
    }),
  );
  return Config.parse({ clusters, ciSystems, profiles });
}

/** Each image of the examples: a program that waits, whatever its arguments are. Agents have commands of their own. */
const images: ImageTable = Object.fromEntries(
  exampleNames
    .flatMap((example) => configOfExample(example).profiles)
    .flatMap(({ template: { spec } }) => [...(spec.initContainers ?? []), ...spec.containers])
    .map(({ image }) => [String(image), { command: ['sh', '-c', 'exec sleep 3600', 'image'] }]),
);

function nodeWith(name: string, labels: Record<string, string>, taint?: Omit<Taint, 'effect'>) {
  const taints: Taint[] = taint === undefined ? [] : [{ ...taint, effect: 'NoSchedule' }];
  return { name, labels, taints };
}

/** The nodes that the examples ask for, beside the sandbox's own. */
const nodes = [
  nodeWith('spot', { 'karpenter.sh/nodepool': 'ci-spot' }, { key: 'ci', value: 'spot' }),
  nodeWith('on-demand', { 'karpenter.sh/nodepool': 'ci-on-demand' }, { key: 'ci', value: 'on-demand' }),
  nodeWith('gpu', { 'nvidia.com/gpu.present': 'true' }, { key: 'nvidia.com/gpu', value: 'present' }),
  nodeWith('arm', { 'kubernetes.io/arch': 'arm64' }, { key: 'kubernetes.io/arch', value: 'arm64' }),
  nodeWith('gke', { 'iam.gke.io/gke-metadata-server-enabled': 'true' }),
];

/** The accounts of the examples, and the one that `davit rbac` makes. */
const accounts = [
  { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'davit-agent', namespace: 'davit-agents' } },
  ...exampleNames.flatMap((name) => manifestsOf(name)).filter(({ kind }) => kind === 'ServiceAccount'),
];

let davit: TestRuntime;
beforeAll(async () => {
  davit = await startTestRuntime({
    changeConfig: withExamples,
    sandbox: { images, node: { labels: { 'kubernetes.io/arch': 'amd64', pool: 'builds' } } },
  });
  const { sandbox } = davit.cluster;
  for (const [index, node] of nodes.entries()) {
    const stateDirectory = join(davit.stateDirectory, node.name);
    const labels = { 'kubernetes.io/arch': 'amd64', ...node.labels };
    const hostIP = `127.0.0.${index + 2}`;
    await sandbox.addNode({ ...node, labels, hostIP, stateDirectory, images, hasScheduler: false });
  }
  for (const account of accounts) sandbox.store.create('serviceaccounts', account);
  const metadata = { name: 'cache-credentials', namespace: 'davit-agents' };
  sandbox.store.create('secrets', { apiVersion: 'v1', kind: 'Secret', metadata });
});
afterAll(() => davit[Symbol.asyncDispose]());

const atOnce = 8;

/** @returns the node of the profile's agent, once it has connected; otherwise what became of the launch */
async function launched(profile: string): Promise<string> {
  const launchId = apiLaunchId(profile);
  await davit.launches.request({ profile, jobId: profile });
  const launch = await davit.launches.until(launchId, 'connected', 'failed', 'cleaning', 'terminated');
  if (launch.status !== 'connected') return JSON.stringify(launch.ending);
  const pod = await davit.history.until('pods', ({ metadata }) => metadata.name === agentNameOf(launchId));
  return String(pod.spec?.['nodeName']);
}

test('the agents of all examples connect, on the nodes that they ask for', async () => {
  const names = davit.config.profiles.map(({ name }) => name);

  const found: (readonly [string, string])[] = [];
  // All at once would keep a small machine from answering in time.
  for (let index = 0; index < names.length; index += atOnce) {
    const some = names.slice(index, index + atOnce).map(async (name) => [name, await launched(name)] as const);
    found.push(...(await Promise.all(some)));
  }

  const all = ['sandbox-node', ...nodes.map(({ name }) => name)];
  expect(found.filter(([, node]) => !all.includes(node))).toEqual([]);
  expect(Object.fromEntries(found)).toMatchObject({
    'arm64-arm64': 'arm',
    'cloud-identity-deploy-gke': 'gke',
    'from-gitlab-runner-node': 'sandbox-node',
    'from-jenkins-plugin-maven': 'sandbox-node',
    'gpus-gpu': 'gpu',
    'spot-nodes-on-demand': 'on-demand',
    'spot-nodes-spot': 'spot',
  });
});

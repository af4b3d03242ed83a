import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { readConfig } from '../../../core/config/read-config.ts';
import { agentNameOf } from '../../../core/launch/names.ts';
import { agentImages } from '../../../local/agent/image.ts';
import { type SandboxedCluster, startSandbox } from '../../../local/runtime/start-cluster.ts';
import { type DavitProcess, startDavitProcess, startProgram } from '../../e2e/davit-process.ts';
import { freePort } from '../../support/free-port.ts';
import { mergedKubeconfig } from '../../support/merged-kubeconfig.ts';
import { asWritten } from '../../support/profile-like.ts';

let resources: AsyncDisposableStack;
let davit: DavitProcess;
let args: readonly string[];
let sandboxes: Readonly<Record<'east' | 'west', SandboxedCluster>>;

beforeAll(async () => {
  resources = new AsyncDisposableStack();
  const directory = await mkdtemp(join(tmpdir(), 'two-clusters-'));
  resources.defer(() => rm(directory, { recursive: true }));
  const repository = await readConfig('davit.yaml');
  const start = async (name: string) =>
    resources.use(await startSandbox(repository, join(directory, name), { images: agentImages() }));
  sandboxes = { east: await start('east'), west: await start('west') };
  const names = Object.keys(sandboxes);

  const [profile] = repository.profiles;
  if (profile === undefined) throw new Error('the config has no profile');
  const config = join(directory, 'davit.yaml');
  const profiles = names.map((name) => ({ ...asWritten(profile), name, labels: [name], clusters: [name] }));
  const clusters = names.map((name) => ({ name, kubeconfigSecret: `kubeconfig-${name}` }));
  await writeFile(config, stringify({ ...repository, clusters, profiles }));
  const KUBECONFIG = join(directory, 'kubeconfig');
  const kubeconfigs = Object.entries(sandboxes).map(([name, { kubeconfig }]) => [name, kubeconfig]);
  await writeFile(KUBECONFIG, mergedKubeconfig(Object.fromEntries(kubeconfigs)));

  args = ['--config', config, '--state', join(directory, 'state'), '--listen', '127.0.0.1:0'];
  const contexts = ['--cluster', 'east=context-east', '--cluster', 'west=context-west'];
  const address = `127.0.0.1:${await freePort('127.0.0.1')}`;
  const publicUrl = ['--listen', address, '--public-url', `http://${address}`];
  davit = resources.use(await startDavitProcess([...args, ...publicUrl, ...contexts], { KUBECONFIG }));
});
afterAll(() => resources.disposeAsync());

test.each(['east', 'west'] as const)('a launch of a profile on %s runs in that cluster only', async (name) => {
  const other = name === 'east' ? 'west' : 'east';
  const launchId = await davit.launches.request({ profile: name, jobId: `on ${name}` });
  await davit.launches.until(launchId, 'connected');
  const podsIn = (cluster: SandboxedCluster) => cluster.sandbox.store.list('pods').map(({ metadata }) => metadata.name);

  expect(podsIn(sandboxes[name])).toContain(agentNameOf(launchId));
  expect(podsIn(sandboxes[other])).not.toContain(agentNameOf(launchId));
  await davit.launches.end(launchId);
  await davit.launches.until(launchId, 'terminated');
});

test('--cluster without KUBECONFIG is reported in one line', async () => {
  const { exitCode, stderr } = await startProgram('local/main.ts', [...args, '--cluster', 'east=a']).ended;

  expect({ exitCode, stderr }).toEqual({
    exitCode: 2,
    stderr: ['--cluster: needs KUBECONFIG, the file that has the context'],
  });
});

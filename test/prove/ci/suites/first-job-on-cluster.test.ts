import { join } from 'node:path';
import { freePort } from '../../../support/free-port.ts';
import { runnerImage } from '../../cluster/images/images.ts';
import { missingRequirements } from '../../cluster/programs/requirements.ts';
import { startTemporaryCluster, type TemporaryCluster } from '../../cluster/test-cluster.ts';
import { neverPull, writeKubeconfig } from '../first-job/cluster-files.ts';
import { firstJobCommands, untilOver } from '../first-job/first-job.ts';
import { startNewcomer } from '../first-job/newcomer.ts';
import { buildGitea } from '../gitea/build-gitea.ts';
import { createGiteaClient } from '../gitea/gitea-client.ts';
import { type Gitea, startGitea } from '../gitea/start-gitea.ts';

const say = (text: string) => process.stderr.write(`${text}\n`);
const isCi = (process.env['CI'] ?? '') !== '';
const canRun = isCi || (await missingRequirements()).length === 0;

const started = new AsyncDisposableStack();
let cluster: TemporaryCluster;
let gitea: Gitea;
beforeAll(async () => {
  if (!canRun) return;
  const built = await buildGitea(say);
  cluster = started.use(await startTemporaryCluster({ nodes: 1, kwokNodes: 0, onProgress: say }));
  gitea = started.use(await startGitea(built, { host: cluster.hostIp }));
});
afterAll(() => started.disposeAsync());

(canRun ? test : test.skip)('the commands of docs/gitea.md lead to a green job on a real Kubernetes', async () => {
  const client = createGiteaClient(gitea);
  await client.createOrganization('acme');
  await client.createRepository('acme', 'app');
  const port = `${await freePort(cluster.hostIp)}`;
  const commands = firstJobCommands('gitea.md', '--context builds');
  await using newcomer = await startNewcomer({
    env: { GITEA: gitea.url, GITEA_TOKEN: gitea.adminToken, KUBECONFIG: 'kubeconfig' },
    // This cluster has no registry: its nodes have a stand-in for Gitea's image.
    more: { init: ['--image', runnerImage] },
    programs: {},
  });
  await writeKubeconfig(cluster, join(newcomer.folder, 'kubeconfig'));

  for (const command of commands.slice(0, -1)) {
    await newcomer.type(command.replaceAll('YOUR-HOST', cluster.hostIp).replaceAll('8080', port));
    if (command.startsWith('davit init')) await neverPull(join(newcomer.folder, 'davit.yaml'));
  }
  await untilOver(client);
  const listed = await newcomer.type(commands.at(-1) ?? '');

  expect(commands.length).toBeLessThanOrEqual(10);
  expect((await client.listRuns('acme', 'app')).map(({ conclusion }) => conclusion)).toEqual(['success']);
  expect(listed).toMatch(/^gitea-\S+ +(connected|cleaning|terminated) +linux/m);
});

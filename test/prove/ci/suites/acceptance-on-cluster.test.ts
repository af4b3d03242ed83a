import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort } from '../../../support/free-port.ts';
import { runnerImage } from '../../cluster/images/images.ts';
import { missingRequirements } from '../../cluster/programs/requirements.ts';
import { startTemporaryCluster, type TemporaryCluster } from '../../cluster/test-cluster.ts';
import { neverPull, writeKubeconfig } from '../first-job/cluster-files.ts';
import { firstJobCommands } from '../first-job/first-job.ts';
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

(canRun ? test : test.skip)(
  'a davit on a real Gitea and a real Kubernetes holds, also when a Pod is deleted',
  async () => {
    const client = createGiteaClient(gitea);
    await client.createOrganization('acme');
    await client.createRepository('acme', 'app');
    const port = `${await freePort(cluster.hostIp)}`;
    const commands = firstJobCommands('gitea.md', '--context builds');
    const webhook = commands.findIndex((command) => command.startsWith('davit webhook'));
    await using newcomer = await startNewcomer({
      env: { GITEA: gitea.url, GITEA_TOKEN: gitea.adminToken, KUBECONFIG: 'kubeconfig' },
      // This cluster has no registry: its nodes have a stand-in for Gitea's image.
      more: { init: ['--image', runnerImage] },
      programs: {},
    });
    await writeKubeconfig(cluster, join(newcomer.folder, 'kubeconfig'));
    for (const command of commands.slice(0, webhook + 1)) {
      await newcomer.type(command.replaceAll('YOUR-HOST', cluster.hostIp).replaceAll('8080', port));
      if (command.startsWith('davit init')) await neverPull(join(newcomer.folder, 'davit.yaml'));
    }

    const scenarios = ['matrix', 'cancel-running', 'pod-deleted'].map((name) => `--scenario ${name}`).join(' ');
    const where = '--kubeconfig kubeconfig --namespace davit-agents --repository acme/app --ci-system gitea';
    await newcomer.type(`davit acceptance ${where} ${scenarios} --yes --report report.md`);
    const report = await readFile(join(newcomer.folder, 'report.md'), 'utf8');

    expect(report).toMatch(/\| Kubernetes \| v1\.34/);
    expect(report.match(/^\| [a-z-]+ \| held \|/gm)).toHaveLength(5);
    expect(report).not.toMatch(/not-held|not-run/);
  },
);

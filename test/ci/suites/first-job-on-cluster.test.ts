import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import * as z from 'zod';
import { runnerImage } from '../../cluster/images/images.ts';
import { missingRequirements } from '../../cluster/programs/requirements.ts';
import { startTemporaryCluster, type TemporaryCluster } from '../../cluster/test-cluster.ts';
import { freePort } from '../../support/free-port.ts';
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

const Kubeconfig = z.looseObject({ contexts: z.tuple([z.looseObject({ name: z.string() })]) });

/** The cluster's kubeconfig, whose only context is called `builds`. */
async function writeKubeconfig(file: string): Promise<void> {
  const { contexts, ...others } = Kubeconfig.parse(parse(cluster.kubeconfig));
  const named = { ...others, contexts: [{ ...contexts[0], name: 'builds' }], 'current-context': 'builds' };
  await writeFile(file, stringify(named));
}

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
  await writeKubeconfig(join(newcomer.folder, 'kubeconfig'));

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

async function neverPull(file: string): Promise<void> {
  const text = await readFile(file, 'utf8');
  await writeFile(file, text.replace(/^( *)image: .*$/m, '$&\n$1imagePullPolicy: Never'));
}

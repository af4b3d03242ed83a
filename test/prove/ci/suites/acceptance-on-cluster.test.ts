import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import * as z from 'zod';
import { freePort } from '../../../support/free-port.ts';
import { runnerImage } from '../../cluster/images/images.ts';
import { missingRequirements } from '../../cluster/programs/requirements.ts';
import { startTemporaryCluster, type TemporaryCluster } from '../../cluster/test-cluster.ts';
import { firstJobCommands, untilOver } from '../first-job/first-job.ts';
import { type Newcomer, startNewcomer } from '../first-job/newcomer.ts';
import type { GiteaClient } from '../gitea/gitea-client.ts';
import { startAcme } from '../gitea/start-acme.ts';

const isCi = (process.env['CI'] ?? '') !== '';
/** Skips where a program is missing, but not in CI. */
const testOnCluster = isCi || (await missingRequirements()).length === 0 ? test : test.skip;
const commands = firstJobCommands('gitea.md', '--context builds');
const Kubeconfig = z.looseObject({ contexts: z.tuple([z.looseObject({ name: z.string() })]) });

const started = new AsyncDisposableStack();
let cluster: TemporaryCluster;
let port: number;
let client: GiteaClient;
let newcomer: Newcomer;
beforeAll(async () => {
  cluster = started.use(await startTemporaryCluster());
  const acme = started.use(await startAcme({ host: cluster.hostIp }));
  ({ client } = acme);
  port = await freePort(cluster.hostIp);
  newcomer = started.use(
    await startNewcomer({
      env: { GITEA: acme.gitea.url, GITEA_TOKEN: acme.gitea.adminToken, KUBECONFIG: 'kubeconfig' },
      // This cluster has no registry: its nodes have a stand-in for Gitea's image.
      more: { init: ['--image', runnerImage] },
      programs: {},
    }),
  );
  await writeFile(join(newcomer.folder, 'kubeconfig'), withContext('builds', cluster.kubeconfig));
});
afterAll(() => started.disposeAsync());

function withContext(name: string, kubeconfig: string): string {
  const { contexts, ...others } = Kubeconfig.parse(parse(kubeconfig));
  return stringify({ ...others, contexts: [{ ...contexts[0], name }], 'current-context': name });
}

/** Types a command of the document, with the values of this machine. @returns its output */
async function type(command: string): Promise<string> {
  const output = await newcomer.type(command.replaceAll('YOUR-HOST', cluster.hostIp).replaceAll('8080', `${port}`));
  if (command.startsWith('davit init')) await neverPull(join(newcomer.folder, 'davit.yaml'));
  return output;
}

/** Changes a davit.yaml so that its agents' images are those that the node has. */
async function neverPull(file: string): Promise<void> {
  const text = await readFile(file, 'utf8');
  await writeFile(file, text.replace(/^( *)image: .*$/m, '$&\n$1imagePullPolicy: Never'));
}

testOnCluster('the commands of docs/gitea.md lead to a green job on a real Kubernetes', async () => {
  for (const command of commands.slice(0, -1)) await type(command);
  await untilOver(client);
  const listed = await type(commands.at(-1) ?? '');

  expect(commands.length).toBeLessThanOrEqual(6);
  expect((await client.listRuns('acme', 'app')).map(({ conclusion }) => conclusion)).toEqual(['success']);
  expect(listed).toMatch(/^gitea-\S+ +(connected|cleaning|terminated) +linux/m);
});

testOnCluster('a davit on a real Gitea and a real Kubernetes holds, also when a Pod is deleted', async () => {
  const scenarios = ['matrix', 'cancel-running', 'pod-deleted'].map((name) => `--scenario ${name}`).join(' ');
  await client.createRepository('acme', 'checked');
  const where = '--kubeconfig kubeconfig --namespace davit-agents --repository acme/checked --ci-system gitea';
  await type(`davit acceptance ${where} ${scenarios} --yes --report report.md`);
  const report = await readFile(join(newcomer.folder, 'report.md'), 'utf8');

  expect(report).toMatch(/\| Kubernetes \| v1\.34/);
  expect(report.match(/^\| [a-z-]+ \| held \|/gm)).toHaveLength(5);
  expect(report).not.toMatch(/not-held|not-run/);
});

import { join } from 'node:path';
import { freePort } from '../../../support/free-port.ts';
import { runnerImage } from '../../cluster/images/images.ts';
import { missingRequirements } from '../../cluster/programs/requirements.ts';
import { startTemporaryCluster } from '../../cluster/test-cluster.ts';
import type { GiteaClient } from '../gitea/gitea-client.ts';
import { startAcme } from '../gitea/start-acme.ts';
import { neverPull, writeKubeconfig } from './cluster-files.ts';
import { firstJobCommands } from './first-job.ts';
import { type Newcomer, startNewcomer } from './newcomer.ts';

const isCi = (process.env['CI'] ?? '') !== '';

/** The test function of a suite on a real Kubernetes: it skips where a program is missing, but not in CI. */
export const testOnCluster = isCi || (await missingRequirements()).length === 0 ? test : test.skip;

/** A newcomer who follows docs/gitea.md with a real Gitea, which has the empty repository acme/app, and a real Kubernetes. */
export interface OnCluster extends AsyncDisposable {
  client: GiteaClient;
  /** The cluster's kubeconfig is the file `kubeconfig` of the newcomer's folder. */
  newcomer: Pick<Newcomer, 'folder'>;
  /** The document's commands, from an empty folder to the first job. */
  commands: readonly string[];
  /** Types one of them, with the values of this machine. @returns its output @throws Error with its output, when it fails */
  type: Newcomer['type'];
}

/** Starts all of it. */
export async function startOnCluster(): Promise<OnCluster> {
  const say = (text: string) => process.stderr.write(`${text}\n`);
  await using started = new AsyncDisposableStack();
  const cluster = started.use(await startTemporaryCluster({ nodes: 1, kwokNodes: 0, onProgress: say }));
  const { gitea, client } = started.use(await startAcme({ host: cluster.hostIp }));
  const port = `${await freePort(cluster.hostIp)}`;
  const newcomer = started.use(
    await startNewcomer({
      env: { GITEA: gitea.url, GITEA_TOKEN: gitea.adminToken, KUBECONFIG: 'kubeconfig' },
      // This cluster has no registry: its nodes have a stand-in for Gitea's image.
      more: { init: ['--image', runnerImage] },
      programs: {},
    }),
  );
  await writeKubeconfig(cluster, join(newcomer.folder, 'kubeconfig'));
  const all = started.move();
  return {
    client,
    newcomer,
    commands: firstJobCommands('gitea.md', '--context builds'),
    type: async (command) => {
      const output = await newcomer.type(command.replaceAll('YOUR-HOST', cluster.hostIp).replaceAll('8080', port));
      if (command.startsWith('davit init')) await neverPull(join(newcomer.folder, 'davit.yaml'));
      return output;
    },
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

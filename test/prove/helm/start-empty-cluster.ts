import { symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type ApiClient, openApi } from '../../contract/api-client.ts';
import { type Newcomer, startNewcomer } from '../ci/first-job/newcomer.ts';
import type { GiteaClient } from '../ci/gitea/gitea-client.ts';
import { startAcme } from '../ci/gitea/start-acme.ts';
import { namespace } from '../cluster/credentials.ts';
import { runnerImage } from '../cluster/images/images.ts';
import { buildHelm, buildKubectl } from '../cluster/programs/programs.ts';
import { root } from '../cluster/run.ts';
import { startTemporaryCluster } from '../cluster/test-cluster.ts';
import { until } from '../cluster/until.ts';
import { documentedValues } from './documented-values.ts';
import { buildImage, importImage } from './image.ts';
import { machineValues } from './values.ts';
import { createVolume } from './volume.ts';

/** A newcomer with docs/install-helm.md, a real Gitea, which has the empty repository acme/app, and a real Kubernetes. */
export interface EmptyCluster extends AsyncDisposable {
  client: GiteaClient;
  api: ApiClient;
  /** The namespace of the agents. */
  namespace: string;
  /** The URL at which Gitea reaches davit. */
  davitUrl: string;
  /** Types a command of the document, with the values of this machine. @throws Error with its output, when it fails */
  type: Newcomer['type'];
}

/**
 * Starts all of it. The cluster has davit's image and a volume, as a registry and a StorageClass would give them. There is no
 * Ingress controller: Gitea calls a port of the node.
 */
export async function startEmptyCluster(): Promise<EmptyCluster> {
  await using started = new AsyncDisposableStack();
  const programs = { helm: await buildHelm(), kubectl: await buildKubectl() };
  const image = await buildImage();
  const cluster = started.use(await startTemporaryCluster({ nodes: 1 }));
  const [node] = cluster.nodes;
  if (node === undefined) throw new Error(`${cluster.name} has no node`);
  const api = started.use(openApi(cluster.kubeconfig));
  await importImage(cluster, node, image);
  await createVolume(cluster, api);
  await removeAgentsNamespace(api);
  const { gitea, client } = started.use(await startAcme({ host: cluster.hostIp }));
  const env = { GITEA: gitea.url, GITEA_TOKEN: gitea.adminToken, KUBECONFIG: cluster.kubeconfigPath };
  const newcomer = started.use(await startNewcomer({ env, more: {}, programs }));
  const { values, withoutIngress } = await documentedValues();
  await symlink(join(root, 'charts'), join(newcomer.folder, 'charts'));
  await writeFile(join(newcomer.folder, 'values.yaml'), JSON.stringify(adapted(values, withoutIngress, gitea.url)));
  const davitUrl = `http://${node.ip}:${withoutIngress.service.nodePort}`;
  const all = started.move();
  return {
    client,
    api,
    namespace: values.config.profiles[0].namespace,
    davitUrl,
    type: (command) => newcomer.type(command.replace('https://davit.example.com', davitUrl)),
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

/** The chart makes it. The clusters of the tests have one already, for suites without the chart. */
async function removeAgentsNamespace(api: ApiClient): Promise<void> {
  const path = `/api/v1/namespaces/${namespace}`;
  await api.send(path, { method: 'DELETE' });
  await until(`there is no namespace ${namespace}`, 60_000, async () => (await api.send(path)).status === 404);
}

type Documented = Awaited<ReturnType<typeof documentedValues>>;

/** The document's values with the images, the storage and the addresses of this machine. */
function adapted(
  { ingress: _none, ...values }: Documented['values'],
  { service }: Documented['withoutIngress'],
  giteaUrl: string,
): object {
  const { ciSystems, profiles } = values.config;
  const container = { name: 'agent', image: runnerImage, imagePullPolicy: 'Never' };
  const config = {
    ...values.config,
    ciSystems: [{ ...ciSystems[0], url: giteaUrl }],
    profiles: [{ ...profiles[0], template: { spec: { containers: [container] } } }],
  };
  return { ...values, ...machineValues, service: { ...machineValues.service, ...service }, config };
}

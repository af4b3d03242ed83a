import { createServer } from 'node:net';
import { KubeConfig } from '@kubernetes/client-node';
import { listen } from '../../local/loopback-server.ts';
import { type ClusterUnderTest, newName, openKubeconfig, podManifest, serviceManifest } from './cluster-objects.ts';

/** A kubeconfig with the right to create in a namespace, and that namespace. */
export interface KubeconfigUnderTest extends Pick<ClusterUnderTest, 'namespace' | 'image'> {
  kubeconfig: string;
}

/**
 * davit's errors for the refusals that any cluster gives to wrong requests.
 *
 * @param makeKubeconfig may return the same one each time: the tests leave nothing in its cluster
 */
export function describeClusterErrors(cluster: string, makeKubeconfig: () => Promise<KubeconfigUnderTest>): void {
  describe(`errors of a cluster (${cluster})`, () => {
    test('an invalid name is terminal: ObjectInvalid', async () => {
      const under = await open(await makeKubeconfig());

      const creating = under.cluster.services.create(serviceManifest(under, 'Not_A_Name'));

      await expect(creating).rejects.toMatchObject({ name: 'TerminalError', code: 'ObjectInvalid' });
    });

    test('a namespace that is missing is terminal for a create: NamespaceMissing', async () => {
      const under = { ...(await open(await makeKubeconfig())), namespace: newName() };

      const creating = under.cluster.pods.create(podManifest(under, newName()));

      await expect(creating).rejects.toMatchObject({ name: 'TerminalError', code: 'NamespaceMissing' });
    });

    test('a missing namespace contains no objects, and deleting there succeeds', async () => {
      const { cluster: wrong } = await open(await makeKubeconfig());
      const namespace = newName();

      await wrong.pods.delete(namespace, 'davit-x', newName());

      expect(await wrong.pods.get(namespace, 'davit-x')).toBeUndefined();
    });

    test('an invalid credential is terminal: ClusterUnauthorized', async () => {
      const known = await makeKubeconfig();
      const kubeConfig = load(known.kubeconfig);
      kubeConfig.users = kubeConfig.users.map(({ name }) => ({ name, token: 'not-a-token' }));
      const { cluster: wrong, namespace } = await open({ ...known, kubeconfig: kubeConfig.exportConfig() });

      await expect(wrong.pods.get(namespace, newName())).rejects.toMatchObject({
        name: 'TerminalError',
        code: 'ClusterUnauthorized',
      });
    });

    test('a cluster that does not answer is transient: ClusterUnreachable', async () => {
      const known = await makeKubeconfig();
      const kubeConfig = load(known.kubeconfig);
      const server = `https://127.0.0.1:${await portOfNobody()}`;
      kubeConfig.clusters = kubeConfig.clusters.map((one) => ({ ...one, server }));
      const under = await open({ ...known, kubeconfig: kubeConfig.exportConfig() });

      const unreachable = { name: 'TransientError', code: 'ClusterUnreachable' };
      await expect(under.cluster.services.create(serviceManifest(under, newName()))).rejects.toMatchObject(unreachable);
      await expect(under.cluster.pods.get(under.namespace, newName())).rejects.toMatchObject(unreachable);
      await expect(under.cluster.pods.delete(under.namespace, newName(), newName())).rejects.toMatchObject(unreachable);
      const observed = under.cluster.pods.observe(under.namespace, newName(), { forMs: 10_000 });
      await expect(Array.fromAsync(observed)).rejects.toMatchObject(unreachable);
    });

    test('an error names its cluster, namespace and object', async () => {
      const under = await open(await makeKubeconfig());

      const creating = under.cluster.services.create(serviceManifest(under, 'Not_A_Name'));

      const subject = { cluster: 'cluster', namespace: under.namespace, service: 'Not_A_Name' };
      await expect(creating).rejects.toMatchObject({ subject, message: expect.stringContaining('Not_A_Name') });
    });
  });
}

async function open({ kubeconfig, ...where }: KubeconfigUnderTest): Promise<ClusterUnderTest> {
  return { ...where, cluster: await openKubeconfig(kubeconfig) };
}

function load(kubeconfig: string): KubeConfig {
  const kubeConfig = new KubeConfig();
  kubeConfig.loadFromString(kubeconfig);
  return kubeConfig;
}

async function portOfNobody(): Promise<number> {
  const server = createServer();
  const { port } = await listen(server, 0, '127.0.0.1');
  await new Promise((resolve) => server.close(resolve));
  return port;
}

import { connect, createServer } from 'node:net';
import { CoreV1Api, KubeConfig } from '@kubernetes/client-node';
import { reserveNodePorts } from '../../../../sandbox/node-port-block.ts';
import { type SandboxCluster, startSandboxCluster } from '../../../../sandbox/sandbox-cluster.ts';
import { newFolder } from '../../../support/new-folder.ts';
import { openWatch } from './watch-frames.ts';

const stateDirectory = newFolder();

const images = { greeter: { command: [process.execPath, '-e', "console.log('hello')"] } };

const kubeConfigOf = (cluster: SandboxCluster): KubeConfig => {
  const kubeConfig = new KubeConfig();
  kubeConfig.loadFromString(cluster.kubeconfig);
  return kubeConfig;
};

const isListening = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });

describe('a sandbox cluster', () => {
  test("runs a client's Pod on one of several nodes, and has its log", async () => {
    await using cluster = await startSandboxCluster({ node: { stateDirectory, images }, namespace: 'ci' });
    await cluster.addNode({ name: 'second', hostIP: '127.0.0.2', stateDirectory, images, hasScheduler: false });
    const kubeConfig = kubeConfigOf(cluster);
    const core = kubeConfig.makeApiClient(CoreV1Api);
    const ended = encodeURIComponent('status.phase=Succeeded');
    using watch = await openWatch(kubeConfig, `/api/v1/namespaces/ci/pods?watch=true&fieldSelector=${ended}`);

    await core.createNamespacedPod({
      namespace: 'ci',
      body: {
        metadata: { name: 'a' },
        spec: { nodeName: 'second', restartPolicy: 'Never', containers: [{ name: 'c', image: 'greeter' }] },
      },
    });
    await watch.take(1);

    expect(kubeConfig.getContextObject(kubeConfig.getCurrentContext())?.namespace).toBe('ci');
    expect((await core.listNode()).items.map(({ metadata }) => metadata?.name)).toEqual(['sandbox-node', 'second']);
    expect(await core.readNamespacedPodLog({ namespace: 'ci', name: 'a' })).toBe('hello\n');
  });

  test('leaves no listener when it has stopped', async () => {
    const cluster = await startSandboxCluster({ node: { stateDirectory, images } });
    const port = Number(new URL(cluster.url).port);
    const wasListening = await isListening(port);

    await cluster.stop();

    expect(wasListening).toBe(true);
    expect(await isListening(port)).toBe(false);
  });

  test('does not start without its port', async () => {
    const other = createServer();
    await new Promise<void>((resolve) => {
      other.listen(0, '127.0.0.1', resolve);
    });
    const address = other.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;

    const starting = startSandboxCluster({ node: { stateDirectory, images }, port });

    await expect(starting).rejects.toMatchObject({ code: 'EADDRINUSE' });
    await new Promise((resolve) => {
      other.close(resolve);
    });
  });
});

describe('a block of nodePorts', () => {
  test('overlaps with no other block', async () => {
    const blocks = await Promise.all([1, 2, 3].map(() => reserveNodePorts(100)));

    const ports = blocks.flatMap((block) => block.ports);
    await Promise.all(blocks.map((block) => block.release()));

    expect(ports.length).toBeGreaterThan(200);
    expect(new Set(ports).size).toBe(ports.length);
    expect(ports.every((port) => port > 30_000 && port <= 32_767)).toBe(true);
  });
});

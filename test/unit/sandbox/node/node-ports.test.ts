import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { KubeObject } from '../../../../sandbox/cluster-store.ts';
import { backendsOf, readService } from '../../../../sandbox/node/service-ports.ts';
import { script, TestCluster } from './sandbox-node.ts';

/** An address for these tests only: other tests open the same ports at the same time. */
const hostIP = `127.1.${process.pid % 251}.1`;

/** Sends its name to each client, then echoes. It listens a moment after it reports so. */
const server = (name: string) =>
  script(
    'main',
    `exec node -e "${`
    const server = require('node:net').createServer((socket) => { socket.write('${name}'); socket.pipe(socket); });
    console.log('up');
    process.stdin.resume();
    server.listen(7000, process.env.POD_IP, () => console.log('listening'));
  `.replaceAll('\n', ' ')}"`,
    { ports: [{ name: 'agent', containerPort: 7000 }] },
  );

function createService(cluster: TestCluster, name: string, spec: Record<string, unknown> = {}): number {
  const service = cluster.store.create('services', {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name, namespace: 'default' },
    spec: {
      type: 'NodePort',
      selector: { app: name },
      publishNotReadyAddresses: true,
      externalTrafficPolicy: 'Local',
      ports: [{ port: 7000, targetPort: 'agent' }],
      ...spec,
    },
  });
  return readService(service).ports[0]?.nodePort ?? 0;
}

async function dial(port: number): Promise<{ socket: Socket; greeting: string }> {
  const socket = connect({ host: hostIP, port });
  const [greeting] = await once(socket, 'data');
  return { socket, greeting: String(greeting) };
}

/** The end of a connection that gets no answer. */
async function refusal(port: number): Promise<unknown> {
  const socket = connect({ host: hostIP, port });
  const [error] = await once(socket, 'error').catch((cause: unknown) => [cause]);
  return (error as { code?: string }).code;
}

test('a nodePort leads to the Pod that the Service selects, by the name of its port', async () => {
  await using cluster = await TestCluster.start({ hostIP });
  const port = createService(cluster, 'blue');
  createService(cluster, 'red');
  cluster.createPod('red', { containers: [server('red')] }, { app: 'red' });
  cluster.createPod('blue', { containers: [server('blue')] }, { app: 'blue' });
  await cluster.firstLines('blue', 2);

  const { socket, greeting } = await dial(port);
  socket.end('ping');
  const [echo] = await once(socket, 'data');

  expect([greeting, String(echo)]).toEqual(['blue', 'ping']);
});

test('a nodePort leads to its Pod on a machine with no address but 127.0.0.1', async () => {
  await using cluster = await TestCluster.start({ hostIP, canListen: async (address) => address === '127.0.0.1' });
  const port = createService(cluster, 'blue');
  cluster.createPod('blue', { containers: [server('blue')] }, { app: 'blue' });
  await cluster.firstLines('blue', 2);

  const { socket, greeting } = await dial(port);
  socket.destroy();

  expect(greeting).toBe('blue');
  expect(await cluster.untilStatus('blue', ({ podIP }) => podIP !== undefined)).toMatchObject({ podIP: '127.0.0.1' });
});

test('a nodePort without a backend resets its client instead of letting it wait', async () => {
  await using cluster = await TestCluster.start({ hostIP });
  const port = createService(cluster, 'blue');

  expect(await refusal(port)).toBe('ECONNRESET');
  cluster.createPod('blue', 'echo up; exec sleep 60', { app: 'blue' });
  await cluster.firstLines('blue', 1);
  expect(await refusal(port)).toBe('ECONNRESET');
});

test('a nodePort closes with its Service, and its connections stay open until the Pod ends', async () => {
  await using cluster = await TestCluster.start({ hostIP });
  const port = createService(cluster, 'blue');
  cluster.createPod('blue', { containers: [server('blue')] }, { app: 'blue' });
  await cluster.firstLines('blue', 2);
  const { socket } = await dial(port);

  cluster.store.delete('services', 'default', 'blue');

  expect(await refusal(port)).toBe('ECONNREFUSED');
  socket.write('still here');
  expect(String((await once(socket, 'data'))[0])).toBe('still here');
  cluster.store.delete('pods', 'default', 'blue');
  await once(socket, 'close');
});

test('a port in use is reported by an Event, and opened once it is free', async () => {
  const holder = createServer().listen(0, hostIP);
  await once(holder, 'listening');
  const { port } = holder.address() as AddressInfo;
  await using cluster = await TestCluster.start({ hostIP }, { nodePorts: [port] });
  const failure = Promise.withResolvers<KubeObject>();
  cluster.store.subscribe('events', ({ object }) => failure.resolve(object));

  createService(cluster, 'blue');
  const event = await failure.promise;
  holder.close();
  await once(holder, 'close');

  expect(event).toMatchObject({
    type: 'Warning',
    reason: 'FailedToOpenNodePort',
    message: `cannot open port ${port} on node sandbox-node: listen EADDRINUSE: address already in use ${hostIP}:${port}`,
    involvedObject: { kind: 'Service', name: 'blue' },
  });
  // Refused while there is no listener, reset once the node listens.
  while ((await refusal(port)) === 'ECONNREFUSED') {
    await sleep(20);
  }
});

const podOf = (name: string, changes: { ready?: string; phase?: string; nodeName?: string } = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, uid: name, resourceVersion: '1', creationTimestamp: '', labels: { app: 'blue' } },
  spec: {
    nodeName: changes.nodeName ?? 'here',
    containers: [{ name: 'main', image: 'x', ports: [{ name: 'agent', containerPort: 7000 }] }],
  },
  status: {
    phase: changes.phase ?? 'Running',
    podIP: `ip-of-${name}`,
    conditions: [{ type: 'Ready', status: changes.ready ?? 'True' }],
  },
});

test.each([
  ['only ready Pods', { selector: { app: 'blue' } }, ['ready', 'there']],
  [
    'Pods that are not ready, if the Service says so',
    { selector: { app: 'blue' }, publishNotReadyAddresses: true },
    ['ready', 'unready', 'there'],
  ],
  [
    'only Pods of this node, if the Service says so',
    { selector: { app: 'blue' }, externalTrafficPolicy: 'Local' },
    ['ready'],
  ],
  ['only Pods with its labels', { selector: { app: 'red' } }, []],
  ['none, without a selector', {}, []],
])('a Service leads to %s', (_fact, spec, names) => {
  const pods = [
    podOf('ready'),
    podOf('unready', { ready: 'False' }),
    podOf('there', { nodeName: 'there' }),
    podOf('over', { phase: 'Failed' }),
  ];
  const service = readService({ ...podOf('service'), spec });

  const backends = backendsOf(service, { port: 80, protocol: 'TCP', targetPort: 'agent' }, pods, 'here');

  expect(backends).toEqual(names.map((name) => ({ address: `ip-of-${name}`, port: 7000 })));
});

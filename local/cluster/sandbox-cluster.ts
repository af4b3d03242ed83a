import { randomBytes } from 'node:crypto';
import type { DenyRule } from './api/access.ts';
import { startApiServer } from './api/api-server.ts';
import { isToken, type TokenCheck } from './api/authentication.ts';
import type { KubeObject } from './cluster-store.ts';
import { Faults } from './faults.ts';
import { kubeconfigText } from './kubeconfig.ts';
import { type NodeOptions, type SandboxNode, startNode } from './node/start-node.ts';
import { reserveNodePorts } from './node-port-block.ts';
import type { PodLogs } from './pod-logs.ts';
import { startGarbageCollector } from './store/garbage-collector.ts';
import { MemoryStore } from './store/memory-store.ts';

/** What a sandbox cluster is made of. */
export interface SandboxClusterOptions {
  /** Its first node. */
  node: NodeOptions;
  /** The API server's port; 0 for any that is free. @default 0 */
  port?: number;
  /** The bearer token of its one user. @default a random one */
  token?: string;
  /** Says which bearer tokens are that user's. @default the one of the kubeconfig */
  isToken?: TokenCheck;
  /** What that user may not do. @default nothing */
  denied?: readonly DenyRule[];
  /** The Namespace that the kubeconfig names; it is created. @default default */
  namespace?: string;
  /** The ports that Services get. @default 100 that are free, out of 30000 to 32767 */
  nodePorts?: readonly number[];
  /** How many changes a watch can go back. @default 10000 */
  watchWindow?: number;
  /** How long a watch that takes bookmarks waits for the next one. @default 60000 */
  bookmarkIntervalMs?: number;
  /** What goes wrong. @default nothing, until rules are added */
  faults?: Faults;
  /** Is told of what can only be a bug in the sandbox. @default a process warning */
  onError?: (error: unknown) => void;
}

/** A cluster that runs in this process. */
export interface SandboxCluster extends AsyncDisposable {
  /** The API server's. */
  url: string;
  /** The certificate of the authority that signed the API server's own. */
  caPem: string;
  /** The text of a kubeconfig that reaches it. */
  kubeconfig: string;
  store: MemoryStore;
  faults: Faults;
  /** Its first node. */
  node: SandboxNode;
  /** Adds another node, which needs a name and a hostIP of its own; it stops with the cluster. */
  addNode(options: NodeOptions): Promise<SandboxNode>;
  /** Ends everything: connections, processes, ports, timers. */
  stop(): Promise<void>;
}

const DEFAULT_BOOKMARK_INTERVAL_MS = 60_000;
const DEFAULT_NODE_PORTS = 100;

const warn = (error: unknown): void => process.emitWarning(error instanceof Error ? error : String(error));

/** The logs of all nodes: each Pod's are on its own. */
const logsOf = (nodes: ReadonlyMap<string, SandboxNode>): PodLogs => ({
  read: (pod: KubeObject, options) => {
    const nodeName = pod.spec?.['nodeName'];
    return typeof nodeName === 'string' ? nodes.get(nodeName)?.logs.read(pod, options) : undefined;
  },
});

/**
 * Starts a Kubernetes cluster in this process: an API server, a garbage collector, and a node whose Pods are processes.
 *
 * @throws Error if a port cannot be listened on; then nothing is left running.
 */
export const startSandboxCluster = async (options: SandboxClusterOptions): Promise<SandboxCluster> => {
  await using started = new AsyncDisposableStack();
  const { namespace = 'default', token = randomBytes(24).toString('base64url'), faults = new Faults() } = options;
  const block = options.nodePorts === undefined ? await reserveNodePorts(DEFAULT_NODE_PORTS) : undefined;
  started.defer(async () => block?.release());
  const store = new MemoryStore({
    nodePorts: options.nodePorts ?? block?.ports ?? [],
    ...(options.watchWindow === undefined ? {} : { watchWindow: options.watchWindow }),
  });
  started.defer(() => store.close());
  if (store.get('namespaces', undefined, namespace) === undefined) {
    store.create('namespaces', { metadata: { name: namespace } });
  }
  started.defer(startGarbageCollector(store));

  const nodes = new Map<string, SandboxNode>();
  const server = await startApiServer({
    store,
    faults,
    isToken: options.isToken ?? isToken(token),
    logs: logsOf(nodes),
    denied: options.denied ?? [],
    port: options.port ?? 0,
    bookmarkIntervalMs: options.bookmarkIntervalMs ?? DEFAULT_BOOKMARK_INTERVAL_MS,
    onError: options.onError ?? warn,
  });
  const { hostname: host, port } = new URL(server.url);
  const addNode = async (nodeOptions: NodeOptions): Promise<SandboxNode> => {
    const node = await startNode(store, { apiServer: { host, port: Number(port) }, ...nodeOptions });
    nodes.set(node.name, node);
    return node;
  };
  // The nodes stop first, so that a client that still watches sees their Pods end.
  started.defer(() => server.stop());
  started.defer(async () => {
    await Promise.all([...nodes.values()].map((node) => node.stop()));
  });
  const node = await addNode(options.node);

  const running = started.move();
  const stop = (): Promise<void> => running.disposeAsync();
  return {
    url: server.url,
    caPem: server.caPem,
    kubeconfig: kubeconfigText({ url: server.url, caPem: server.caPem, token, namespace }),
    store,
    faults,
    node,
    addNode,
    stop,
    [Symbol.asyncDispose]: stop,
  };
};

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

/** The settings of a sandbox cluster. */
export interface SandboxClusterOptions {
  /** The first node. */
  node: NodeOptions;
  /** The API server's port. 0 takes any free port. @default 0 */
  port?: number;
  /** The bearer token of the cluster's only user. @default a random token */
  token?: string;
  /** Decides whether a bearer token belongs to that user. @default accepts the token of the kubeconfig */
  isToken?: TokenCheck;
  /** The actions that are forbidden to that user. @default none */
  denied?: readonly DenyRule[];
  /** The Namespace that the kubeconfig names. The cluster creates it. @default default */
  namespace?: string;
  /** The nodePorts for Services. @default about 100 free ports within 30000 to 32767 */
  nodePorts?: readonly number[];
  /** The faults of the API server. @default a set without rules */
  faults?: Faults;
}

/** A running cluster in this process. */
export interface SandboxCluster extends AsyncDisposable {
  /** The API server's URL. */
  url: string;
  /** The certificate of the authority that signed the API server's certificate, in PEM. */
  caPem: string;
  /** A kubeconfig for this cluster, as YAML. */
  kubeconfig: string;
  store: MemoryStore;
  faults: Faults;
  /** The first node. */
  node: SandboxNode;
  /** Adds a node, which needs its own name and hostIP. The node stops with the cluster. */
  addNode(options: NodeOptions): Promise<SandboxNode>;
  /** Stops everything: connections, processes, ports, timers. */
  stop(): Promise<void>;
}

const bookmarkIntervalMs = 60_000;
const defaultNodePorts = 100;

/** Reports an error that only a bug in the sandbox can cause. */
function warn(error: unknown): void {
  return process.emitWarning(error instanceof Error ? error : String(error));
}

/** Reads each Pod's logs from the Pod's own node. */
function logsOf(nodes: ReadonlyMap<string, SandboxNode>): PodLogs {
  return {
    read: (pod: KubeObject, options) => {
      const nodeName = pod.spec?.['nodeName'];
      return typeof nodeName === 'string' ? nodes.get(nodeName)?.logs.read(pod, options) : undefined;
    },
  };
}

/**
 * Starts a Kubernetes cluster in this process: an API server, a garbage collector, and a node whose Pods are processes.
 *
 * @throws Error if it cannot listen on a port. Then nothing is left running.
 */
export async function startSandboxCluster(options: SandboxClusterOptions): Promise<SandboxCluster> {
  await using started = new AsyncDisposableStack();
  const { namespace = 'default', token = randomBytes(24).toString('base64url'), faults = new Faults() } = options;
  const block = options.nodePorts === undefined ? await reserveNodePorts(defaultNodePorts) : undefined;
  started.defer(async () => block?.release());
  const store = new MemoryStore({ nodePorts: options.nodePorts ?? block?.ports ?? [] });
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
    bookmarkIntervalMs,
    onError: warn,
  });
  const { hostname: host, port } = new URL(server.url);
  const addNode = async (nodeOptions: NodeOptions): Promise<SandboxNode> => {
    const node = await startNode(store, { apiServer: { host, port: Number(port) }, ...nodeOptions });
    nodes.set(node.name, node);
    return node;
  };
  // The nodes stop first, so that a client that is still watching sees their Pods end.
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
}

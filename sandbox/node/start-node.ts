import { mkdirSync } from 'node:fs';
import type { KubeObject } from '../cluster-store.ts';
import type { PodLogs } from '../pod-logs.ts';
import { behaviourFor, type NodeBehaviour, ordinaryNode, virtualNode } from './behaviour.ts';
import { EventRecorder } from './event-recorder.ts';
import type { ImageTable } from './image-pull.ts';
import { KubeProxy } from './kube-proxy.ts';
import { Kubelet } from './kubelet.ts';
import { NodeRegistration } from './node-registration.ts';
import type { NodeStore } from './node-store.ts';
import { podAddresses } from './pod-addresses.ts';
import type { FailureVerdict } from './pod-status.ts';
import { processGuard } from './process-guard.ts';
import { startScheduler } from './scheduler.ts';
import type { Taint } from './scheduling.ts';

/** The settings of a node. */
export interface NodeOptions {
  /** @default sandbox-node */
  name?: string;
  /** The address on which the node opens nodePorts. Each node needs its own. @default 127.0.0.1 */
  hostIP?: string;
  /** The directory for the Pods' working directories and logs. */
  stateDirectory: string;
  /** The images that can run. The pull of any other image fails. */
  images: ImageTable;
  /** Labels besides the standard ones. */
  labels?: Readonly<Record<string, string>>;
  taints?: readonly Taint[];
  /** @default cpu 64, memory 256Gi, pods 1000 */
  capacity?: Readonly<Record<string, string>>;
  /** Whether the node has the label and the behaviour of a virtual node. @default false */
  isVirtual?: boolean;
  behaviour?: Partial<NodeBehaviour>;
  /** Whether this node runs the cluster's scheduler. Exactly one node of a cluster does. @default true */
  hasScheduler?: boolean;
  /** The API server's address for containers. */
  apiServer?: { host: string; port: number };
  /** The containers' PATH. @default the PATH of this process */
  searchPath?: string;
  /** Tests whether this machine can listen on an address, for the Pods' addresses. @default listens there */
  canListen?: (address: string) => Promise<boolean>;
  /** How long containers have to end by themselves when the node stops. @default 1000 */
  stopGracePeriodMs?: number;
  /** @default Date.now */
  nowEpochMs?: () => number;
}

/** A running node. */
export interface SandboxNode extends AsyncDisposable {
  readonly name: string;
  /** How the node treats Pods from now on. */
  readonly behaviour: NodeBehaviour;
  readonly logs: PodLogs;
  /** Fails a Pod as the kubelet does under node pressure. Resolves when the Pod's containers have ended. */
  evict(pod: KubeObject): Promise<void>;
  /** Overrides fields of a Pod's status. `undefined` removes the override. */
  overrideStatus(pod: KubeObject, status: Readonly<Record<string, unknown>> | undefined): void;
  /** Disconnects the node: its Pods keep running without reporting a status, and their phase becomes Unknown. */
  lose(): void;
  /** Reconnects the node. */
  recover(): void;
  /** Stops everything that runs on the node and closes its ports. */
  stop(): Promise<void>;
}

const defaultCapacity = { cpu: '64', memory: '256Gi', pods: '1000' };
const defaultStopGraceMs = 1000;
const message = 'The node was low on resource: memory. Threshold quantity: 100Mi, available: 51200Ki. ';

/** @see https://kubernetes.io/docs/concepts/scheduling-eviction/node-pressure-eviction/ */
const eviction: FailureVerdict = {
  reason: 'Evicted',
  message,
  condition: { type: 'DisruptionTarget', status: 'True', reason: 'TerminationByKubelet', message },
};

/** Starts a node on a cluster's store. The node registers and runs the Pods that are bound to it. */
export async function startNode(store: NodeStore, options: NodeOptions): Promise<SandboxNode> {
  const { name = 'sandbox-node', hostIP = '127.0.0.1', isVirtual = false } = options;
  const nowEpochMs = options.nowEpochMs ?? Date.now;
  const virtualLabels: Record<string, string> = isVirtual ? { type: 'virtual-kubelet' } : {};
  const registration = new NodeRegistration(store, nowEpochMs, {
    name,
    hostIP,
    labels: { ...virtualLabels, ...options.labels },
    taints: options.taints ?? [],
    capacity: options.capacity ?? defaultCapacity,
  });
  const behaviour = { ...ordinaryNode, ...(isVirtual ? virtualNode : {}), ...options.behaviour };
  const overrides = new Map<string, Readonly<Record<string, unknown>>>();
  const guard = processGuard();
  mkdirSync(options.stateDirectory, { recursive: true });
  const kubelet = new Kubelet({
    nodeName: name,
    hostIP,
    store,
    events: new EventRecorder(store, { component: 'kubelet', host: name }, nowEpochMs),
    images: options.images,
    pulledImages: new Set(),
    guard,
    addresses: await podAddresses(Math.random, options.canListen),
    stateDirectory: options.stateDirectory,
    environment: baseEnvironment(options),
    behaviourFor: (pod) => behaviourFor(behaviour, pod),
    overrides,
    isSilent: () => registration.isSilent,
    nowEpochMs,
  });
  const proxy = new KubeProxy(store, { nodeName: name, hostIP, nowEpochMs });
  const scheduler = options.hasScheduler === false ? undefined : startScheduler(store, nowEpochMs);

  const stop = async () => {
    scheduler?.stop();
    await kubelet.stop(options.stopGracePeriodMs ?? defaultStopGraceMs);
    await Promise.all([proxy.stop(), guard.close()]);
  };
  return {
    name,
    behaviour,
    logs: kubelet,
    evict: async (pod) => kubelet.fail(pod.metadata.uid, eviction),
    overrideStatus(pod, status) {
      if (status === undefined) {
        overrides.delete(pod.metadata.uid);
      } else {
        overrides.set(pod.metadata.uid, status);
        store.updateStatus('pods', pod, (current) => ({ ...current, ...status }));
      }
      kubelet.republish(pod.metadata.uid);
    },
    lose() {
      registration.fallSilent();
    },
    recover() {
      registration.register();
      kubelet.republish();
    },
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

/** Returns the base environment of every container. It inherits only the search path from this process. */
function baseEnvironment({ searchPath = process.env['PATH'] ?? '', apiServer }: NodeOptions): Record<string, string> {
  return {
    PATH: searchPath,
    ...(apiServer === undefined
      ? {}
      : { KUBERNETES_SERVICE_HOST: apiServer.host, KUBERNETES_SERVICE_PORT: String(apiServer.port) }),
  };
}

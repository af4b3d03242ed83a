import { mkdirSync } from 'node:fs';
import type { KubeObject } from '../cluster-store.ts';
import type { PodLogs } from '../pod-logs.ts';
import { behaviourFor, type NodeBehaviour, ORDINARY_NODE, VIRTUAL_NODE } from './behaviour.ts';
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

/** What a node of the sandbox is. */
export interface NodeOptions {
  /** @default sandbox-node */
  name?: string;
  /** The address of the node, on which nodePorts are opened; another one for each node. @default 127.0.0.1 */
  hostIP?: string;
  /** Where Pods have their working directories and their logs. */
  stateDirectory: string;
  /** What can be run; every other image fails to be pulled. */
  images: ImageTable;
  /** Labels besides those that every node has. */
  labels?: Readonly<Record<string, string>>;
  taints?: readonly Taint[];
  /** @default cpu 64, memory 256Gi, pods 1000 */
  capacity?: Readonly<Record<string, string>>;
  /** Whether it is a virtual node, labelled and behaving as one. @default false */
  isVirtual?: boolean;
  behaviour?: Partial<NodeBehaviour>;
  /** Whether the cluster's scheduler runs here; it does on one node of a cluster. @default true */
  hasScheduler?: boolean;
  /** Where the containers find the API. */
  apiServer?: { host: string; port: number };
  /** The containers' PATH. @default that of this process */
  searchPath?: string;
  /** What containers have to end by themselves when the node stops. @default 1000 */
  stopGracePeriodMs?: number;
  /** A number from 0 up to 1. @default Math.random */
  random?: () => number;
  /** @default Date.now */
  nowEpochMs?: () => number;
}

/** A node that runs. */
export interface SandboxNode extends AsyncDisposable {
  readonly name: string;
  /** How the node treats Pods from now on. */
  readonly behaviour: NodeBehaviour;
  readonly logs: PodLogs;
  /** Fails a Pod as the kubelet does when the node runs short of something; resolves when its containers have ended. */
  evict(pod: KubeObject, message?: string): Promise<void>;
  /** Has the node say this of a Pod's status in place of what is true of it; `undefined`: the truth again. */
  overrideStatus(pod: KubeObject, status: Readonly<Record<string, unknown>> | undefined): void;
  /** Takes the node from the network: its Pods run on, nothing is heard of them, their phase becomes Unknown. */
  lose(): void;
  /** Brings the node back. */
  recover(): void;
  /** Ends everything that runs on the node, and closes its ports. */
  stop(): Promise<void>;
}

const DEFAULT_CAPACITY = { cpu: '64', memory: '256Gi', pods: '1000' };
const DEFAULT_STOP_GRACE_MS = 1000;
const LOW_MEMORY = 'The node was low on resource: memory. Threshold quantity: 100Mi, available: 51200Ki. ';

/** Starts a node on a cluster's store: it registers, and runs what is bound to it. */
export async function startNode(store: NodeStore, options: NodeOptions): Promise<SandboxNode> {
  const { name = 'sandbox-node', hostIP = '127.0.0.1', isVirtual = false, random = Math.random } = options;
  const nowEpochMs = options.nowEpochMs ?? Date.now;
  const virtualLabels: Record<string, string> = isVirtual ? { type: 'virtual-kubelet' } : {};
  const registration = new NodeRegistration(store, nowEpochMs, {
    name,
    hostIP,
    labels: { ...virtualLabels, ...options.labels },
    taints: options.taints ?? [],
    capacity: options.capacity ?? DEFAULT_CAPACITY,
  });
  const behaviour = { ...ORDINARY_NODE, ...(isVirtual ? VIRTUAL_NODE : {}), ...options.behaviour };
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
    addresses: podAddresses(random),
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
    await kubelet.stop(options.stopGracePeriodMs ?? DEFAULT_STOP_GRACE_MS);
    await Promise.all([proxy.stop(), guard.close()]);
  };
  return {
    name,
    behaviour,
    logs: kubelet,
    evict: async (pod, message = LOW_MEMORY) => kubelet.fail(pod.metadata.uid, eviction(message)),
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

/** What a container's environment has without its asking: nothing of this process's own but the search path. */
function baseEnvironment({ searchPath = process.env['PATH'] ?? '', apiServer }: NodeOptions): Record<string, string> {
  return {
    PATH: searchPath,
    ...(apiServer === undefined
      ? {}
      : { KUBERNETES_SERVICE_HOST: apiServer.host, KUBERNETES_SERVICE_PORT: String(apiServer.port) }),
  };
}

/** @see https://kubernetes.io/docs/concepts/scheduling-eviction/node-pressure-eviction/ */
function eviction(message: string): FailureVerdict {
  const condition = { type: 'DisruptionTarget', status: 'True', reason: 'TerminationByKubelet', message } as const;
  return { reason: 'Evicted', message, condition };
}

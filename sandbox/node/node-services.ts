import type { PodBehaviour } from './behaviour.ts';
import type { EventRecorder } from './event-recorder.ts';
import type { ImageTable } from './image-pull.ts';
import type { NodeStore } from './node-store.ts';
import type { Pod } from './pod.ts';
import type { PodAddresses } from './pod-addresses.ts';
import type { ProcessGuard } from './process-guard.ts';

/** The services that a node offers to its Pods. */
export interface NodeServices {
  nodeName: string;
  hostIP: string;
  store: NodeStore;
  events: EventRecorder;
  images: ImageTable;
  /** The canonical references of the images on the node. */
  pulledImages: Set<string>;
  guard: ProcessGuard;
  addresses: PodAddresses;
  /** The parent directory of the Pods' directories. */
  stateDirectory: string;
  /** The environment that the runtime and the kubelet give to every container. */
  environment: Readonly<Record<string, string>>;
  behaviourFor: (pod: Pod) => PodBehaviour;
  /** The fields that a test overrides in a Pod's status, by the Pod's uid. */
  overrides: ReadonlyMap<string, Readonly<Record<string, unknown>>>;
  /** Whether the node is lost: its Pods keep running, but the API receives no status. */
  isSilent: () => boolean;
  nowEpochMs: () => number;
}

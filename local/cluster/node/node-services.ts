import type { PodBehaviour } from './behaviour.ts';
import type { EventRecorder } from './event-recorder.ts';
import type { ImageTable } from './image-pull.ts';
import type { NodeStore } from './node-store.ts';
import type { Pod } from './pod.ts';
import type { PodAddresses } from './pod-addresses.ts';
import type { ProcessGuard } from './process-guard.ts';

/** What a node offers to the Pods that it runs. */
export interface NodeServices {
  nodeName: string;
  hostIP: string;
  store: NodeStore;
  events: EventRecorder;
  images: ImageTable;
  /** The canonical references of the images that are on the node. */
  pulledImages: Set<string>;
  guard: ProcessGuard;
  addresses: PodAddresses;
  /** Where each Pod has its directory. */
  stateDirectory: string;
  /** What every container's environment has, as the runtime and the kubelet give it. */
  environment: Readonly<Record<string, string>>;
  behaviourFor: (pod: Pod) => PodBehaviour;
  /** What a test has the node say of a Pod, by its uid, in place of the truth. */
  overrides: ReadonlyMap<string, Readonly<Record<string, unknown>>>;
  /** Whether the node is lost: its Pods run on, and nobody hears of it. */
  isSilent: () => boolean;
  nowEpochMs: () => number;
}

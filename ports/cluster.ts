import type { EventView, NodeView, PodView, ServiceView } from '../core/pod/kubernetes-objects.ts';
import type { Manifest } from '../core/pod/manifest.ts';

/** How long to observe an object, and from which version on. */
export interface ObserveOptions {
  /** Start with the changes since this resourceVersion instead of reading the object first; '0': with the object itself. */
  since?: string;
  /** The iteration ends quietly after this time; a RangeError refuses a fraction of a millisecond. */
  forMs: number;
  /** Ends the iteration quietly before its time. */
  signal?: AbortSignal;
}

/** One page of a list. */
export interface ObjectPage<View> {
  items: View[];
  /** The collection's version when it was read: an observation since then misses nothing. */
  resourceVersion: string;
  /** Where the next page begins; absent on the last page. */
  cursor?: string;
}

/**
 * One kind of object in one cluster, as far as davit needs it.
 *
 * Every method may throw TransientError (unreachable, throttled, a server fault) or TerminalError (unauthorized,
 * forbidden). A create may also throw PendingError for a full quota or node-port range.
 */
export interface ObjectPort<View> {
  /** Creates the object. @returns undefined when an object of that name exists */
  create(manifest: Manifest): Promise<View | undefined>;
  /** Reads the object, strongly consistent. @returns undefined when there is none */
  get(namespace: string, name: string): Promise<View | undefined>;
  /**
   * Lists the objects that have all of these labels, strongly consistent, a page at a time.
   *
   * @param cursor of the previous page; a list whose cursor has expired starts again
   */
  list(namespace: string, labels: Readonly<Record<string, string>>, cursor?: string): Promise<ObjectPage<View>>;
  /**
   * Yields the present object and then each change; yields undefined when the object is gone, and ends. Survives watches
   * that close, go silent, or expire.
   */
  observe(namespace: string, name: string, options: ObserveOptions): AsyncIterable<View | undefined>;
  /**
   * Deletes the object if it still has this uid; absent or replaced is success. A Service is deleted in the foreground:
   * it stays until its Pod is gone.
   */
  delete(namespace: string, name: string, uid: string): Promise<void>;
}

interface LogTail {
  lines: number;
  /** The most bytes of these lines, counted from the first one. */
  bytes: number;
}

/**
 * The cluster's reports about a Pod, besides the object itself. No launch depends on them.
 *
 * Every method may throw TransientError or TerminalError, as in `ObjectPort`.
 */
export interface PodReports {
  /** Reads up to 500 Events of the Pod of this name, in no order. Events outlive their Pod. */
  events(namespace: string, pod: string): Promise<EventView[]>;
  /** Reads the end of a container's log. @returns undefined when there is none */
  log(namespace: string, pod: string, container: string, tail: LogTail): Promise<string | undefined>;
}

/** Reads Nodes, for profiles whose address only the Node reports. */
export interface NodeReader {
  /** Reads a Node. @returns undefined when there is none @throws TransientError, TerminalError as in `ObjectPort` */
  get(name: string): Promise<NodeView | undefined>;
}

/**
 * Asks a cluster whether it is healthy. Both methods may throw as `ObjectPort` does. An error about the object alone,
 * such as a full quota, is an answer.
 */
export interface ClusterHealth {
  /** Makes the cheapest call that needs the API server's store: it lists one Pod. @returns the list's resourceVersion */
  look(namespace: string): Promise<string>;
  /**
   * Does what launches need besides: opens a watch of Pods, and creates a Pod in dry-run.
   *
   * @param resourceVersion of a look just before
   * @returns the version of Kubernetes, where the server says it
   */
  prove(namespace: string, resourceVersion: string): Promise<{ version?: string }>;
}

/** A Kubernetes cluster, as far as davit needs it. */
export interface Cluster {
  readonly services: ObjectPort<ServiceView>;
  readonly pods: ObjectPort<PodView>;
  readonly nodes: NodeReader;
  readonly reports: PodReports;
}

/**
 * Opens a cluster of the config by name.
 *
 * @throws TerminalError ProfileUnknown for a cluster that is not in the config, KubeconfigInvalid for a bad secret
 */
export type OpenCluster = (name: string) => Promise<Cluster>;

/** Like `OpenCluster`, for the port that asks a cluster whether it is healthy. */
export type OpenClusterHealth = (name: string) => Promise<ClusterHealth>;

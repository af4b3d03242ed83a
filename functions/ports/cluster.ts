import type { EventView, NodeView, PodView, ServiceView } from '../domain/kubernetes-objects.ts';

/** @see https://kubernetes.io/docs/concepts/overview/working-with-objects/owners-dependents/ */
export interface OwnerReference {
  apiVersion: string;
  kind: string;
  name: string;
  uid: string;
  controller: boolean;
  blockOwnerDeletion: boolean;
}

/** A manifest as it is sent: plain JSON. */
export interface Manifest {
  apiVersion: string;
  kind: string;
  metadata: {
    name: string;
    namespace: string;
    labels: Record<string, string>;
    annotations: Record<string, string>;
    ownerReferences?: OwnerReference[];
  };
  spec: object;
}

/** How long and from where to observe an object. */
export interface ObserveOptions {
  /** Start with the changes since this resourceVersion instead of reading the object first. */
  since?: string;
  /** The iteration ends quietly after this time. */
  forMs: number;
  /** Ends the iteration quietly before its time. */
  signal?: AbortSignal;
}

/** One page of a list. */
export interface ObjectPage<View> {
  items: View[];
  /** Give it back to read on; absent on the last page. */
  cursor?: string;
}

/**
 * One kind of object in one cluster, as far as davit needs it.
 *
 * Every method may throw a TransientError (unreachable, throttled, a fault of the server) or a TerminalError
 * (unauthorized, forbidden); a create also PendingError for a full quota or node-port range.
 */
export interface ObjectPort<View> {
  /** Creates the object; undefined when one of that name exists. */
  create(manifest: Manifest): Promise<View | undefined>;
  /** Reads the object, strongly consistent; undefined when there is none. */
  get(namespace: string, name: string): Promise<View | undefined>;
  /**
   * Lists the objects that have all of these labels, strongly consistent, a page at a time.
   *
   * @param cursor of the page before; a list whose cursor has expired begins anew
   */
  list(namespace: string, labels: Readonly<Record<string, string>>, cursor?: string): Promise<ObjectPage<View>>;
  /**
   * Yields the object as it is and then each change, undefined once it is gone (and ends there). Survives watches that
   * close, go silent, or are too old.
   */
  observe(namespace: string, name: string, options: ObserveOptions): AsyncIterable<View | undefined>;
  /**
   * Deletes the object if it still has this uid; absent or replaced is success. What a Service owns goes with it, and
   * holds it until it is gone (foreground).
   */
  delete(namespace: string, name: string, uid: string): Promise<void>;
}

/** How much of a log is read. */
export interface LogTail {
  lines: number;
  /** Of the lines together, counted from the first of them. */
  bytes: number;
}

/**
 * What a cluster tells of a Pod beside the object itself; nothing that a launch depends on.
 *
 * Every method may throw a TransientError or a TerminalError, as of `ObjectPort`.
 */
export interface PodReports {
  /** Reads the Events of the Pod of this name, in no order; an Event outlives its Pod. At most 500. */
  events(namespace: string, pod: string): Promise<EventView[]>;
  /** Reads the end of a container's log; undefined when there is none (any more). */
  log(namespace: string, pod: string, container: string, tail: LogTail): Promise<string | undefined>;
}

/** Reads Nodes, for profiles that want an address which only the Node tells. */
export interface NodeReader {
  /** Reads a Node; undefined when there is none. @throws TransientError or TerminalError, as of `ObjectPort` */
  get(name: string): Promise<NodeView | undefined>;
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

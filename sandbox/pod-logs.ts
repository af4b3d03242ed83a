import type { KubeObject } from './cluster-store.ts';

/** @see https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/pod-v1/#get-read-log-of-the-specified-pod */
export interface LogOptions {
  /** The container whose log to read. */
  container: string;
  /** Whether to follow the log until the container ends, instead of stopping at its present end. */
  follow: boolean;
  /** Whether to read the log of the container's previous run. */
  previous: boolean;
  /** Whether to start each line with the RFC 3339 time at which the container wrote it. */
  timestamps: boolean;
  /** How many lines to return, counted from the end. @default all */
  tailLines?: number;
  /** The greatest age of a line, in seconds. */
  sinceSeconds?: number;
  /** The greatest number of bytes to return. */
  limitBytes?: number;
}

/** The logs of Pods. The kubelet provides them to the API server. */
export interface PodLogs {
  /** Returns the log in chunks, or undefined if the container never ran. */
  read(pod: KubeObject, options: LogOptions): AsyncIterable<Buffer> | undefined;
}

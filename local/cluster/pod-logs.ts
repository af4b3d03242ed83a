import type { KubeObject } from './cluster-store.ts';

/** @see https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/pod-v1/#get-read-log-of-the-specified-pod */
export interface LogOptions {
  /** The container whose log is read. */
  container: string;
  /** Whether the log goes on until the container ends, rather than until its present end. */
  follow: boolean;
  /** Whether the log is that of the container's previous run. */
  previous: boolean;
  /** Whether each line begins with the RFC 3339 time at which it was written. */
  timestamps: boolean;
  /** How many lines from the end are given; all, if absent. */
  tailLines?: number;
  /** How old, in seconds, the first line may be. */
  sinceSeconds?: number;
  /** How many bytes are given at most. */
  limitBytes?: number;
}

/** Where the API server finds what a Pod's containers have written: the kubelet. */
export interface PodLogs {
  /** The log, piece by piece; undefined if the container has not written one (it never ran). */
  read(pod: KubeObject, options: LogOptions): AsyncIterable<Buffer> | undefined;
}

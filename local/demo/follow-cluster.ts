import { setTimeout as sleep } from 'node:timers/promises';
import { CoreV1Api, KubeConfig, Watch } from '@kubernetes/client-node';
import * as z from 'zod';
import { labelKeys } from '../../functions/domain/names.ts';
import type { KubeObject } from '../cluster/cluster-store.ts';

/** One thing that happened to an object that carries davit's label. */
export interface FollowedChange {
  type: 'ADDED' | 'MODIFIED' | 'DELETED';
  resource: 'services' | 'pods';
  object: KubeObject;
}

const pauseMs = 50;
const Text = z.record(z.string(), z.string()).exactOptional();
const Fields = z.record(z.string(), z.unknown()).exactOptional();
const Owner = z.looseObject({ apiVersion: z.string(), kind: z.string(), name: z.string(), uid: z.string() });
const Metadata = z.looseObject({
  name: z.string(),
  namespace: z.string(),
  uid: z.string(),
  resourceVersion: z.string(),
  creationTimestamp: z.string(),
  labels: Text,
  annotations: Text,
  ownerReferences: z.array(Owner).exactOptional(),
});
const WireObject = z.looseObject({
  apiVersion: z.string(),
  kind: z.string(),
  metadata: Metadata,
  spec: Fields,
  status: Fields,
});
const Change = z.object({ type: z.enum(['ADDED', 'MODIFIED', 'DELETED']), object: WireObject });

/** Who follows what becomes of davit's Services and Pods. */
export interface ClusterFollower extends AsyncDisposable {
  /** Asks for what there is now, and returns it when everything that made it so has been heard of. */
  present(): Promise<KubeObject[]>;
}

const resources = ['services', 'pods'] as const;
const query = { labelSelector: `${labelKeys.managedBy}=davit` };

/**
 * Follows what becomes of davit's Services and Pods, by the cluster's own API: what there is already comes first, and
 * then each change once, in order for each of the two. It looks away for no longer than a cluster keeps its history.
 *
 * @returns once both are watched
 */
export async function followCluster(
  kubeconfig: string,
  heard: (change: FollowedChange) => void,
): Promise<ClusterFollower> {
  const kubeConfig = new KubeConfig();
  kubeConfig.loadFromString(kubeconfig);
  const watch = new Watch(kubeConfig);
  const ended = new AbortController();
  const objects = new Map<string, KubeObject>();

  const hear = (change: FollowedChange) => {
    const { uid } = change.object.metadata;
    if (change.type === 'DELETED') objects.delete(uid);
    else objects.set(uid, change.object);
    heard(change);
  };
  const follow = async (resource: FollowedChange['resource'], isWatched: () => void) => {
    let resourceVersion: string | undefined;
    while (!ended.signal.aborted) {
      const { promise: closed, resolve: close } = Promise.withResolvers<void>();
      const told = (type: string, object: unknown) => {
        const change = Change.safeParse({ type, object }).data;
        if (change === undefined) return close(); // the server's own words: it goes on with another watch
        resourceVersion = change.object.metadata.resourceVersion;
        hear({ ...change, resource });
      };
      const path = `/api/v1/${resource}`;
      const connection = await watch.watch(path, { ...query, resourceVersion }, told, () => close());
      isWatched();
      const hangUp = () => connection.abort();
      ended.signal.addEventListener('abort', hangUp);
      await closed;
      ended.signal.removeEventListener('abort', hangUp);
      if (!ended.signal.aborted) await sleep(pauseMs);
    }
  };
  const watched = resources.map((resource) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    return { isWatched: promise, over: follow(resource, resolve) };
  });
  await Promise.all(watched.map(({ isWatched }) => isWatched));

  const api = kubeConfig.makeApiClient(CoreV1Api);
  const listed = async (): Promise<string[]> => {
    const lists = await Promise.all([api.listServiceForAllNamespaces(query), api.listPodForAllNamespaces(query)]);
    return lists.flatMap(({ items }) => items.map(({ metadata }) => versionOf(metadata ?? {})));
  };
  return {
    present: async () => {
      for (;;) {
        const versions = await listed();
        const heardOf = new Set([...objects.values()].map(({ metadata }) => versionOf(metadata)));
        if (versions.length === heardOf.size && versions.every((version) => heardOf.has(version))) {
          return [...objects.values()];
        }
        await sleep(pauseMs);
      }
    },
    [Symbol.asyncDispose]: async () => {
      ended.abort();
      await Promise.all(watched.map(({ over }) => over));
    },
  };
}

const versionOf = ({ uid, resourceVersion }: { uid?: string; resourceVersion?: string }) => `${uid} ${resourceVersion}`;

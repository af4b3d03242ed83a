import { setTimeout as sleep } from 'node:timers/promises';
import { CoreV1Api, KubeConfig, Watch } from '@kubernetes/client-node';
import * as z from 'zod';
import { labelKeys } from '../../core/launch/names.ts';
import type { KubeObject } from '../../sandbox/cluster-store.ts';

/** One change of an object that carries davit's label. */
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

/** Follows the changes of davit's Services and Pods. */
export interface ClusterFollower extends AsyncDisposable {
  /** Lists the present objects, and resolves with them once the follower has received all changes up to now. */
  present(): Promise<KubeObject[]>;
}

const resources = ['services', 'pods'] as const;
const query = { labelSelector: `${labelKeys.managedBy}=davit` };

/**
 * Follows the changes of davit's Services and Pods, by the cluster's own API. It reports the present objects first, and
 * then each change once, in order per kind. It never pauses for longer than a cluster keeps its history.
 *
 * @returns a follower that watches both kinds
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
        if (change === undefined) return close(); // an ERROR event: the loop opens another watch
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

function versionOf({ uid, resourceVersion }: { uid?: string; resourceVersion?: string }) {
  return `${uid} ${resourceVersion}`;
}

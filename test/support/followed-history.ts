import { labelKeys } from '../../core/launch/names.ts';
import { type FollowedChange, followCluster } from '../../local/demo/follow-cluster.ts';
import type { KubeObject } from '../../sandbox/cluster-store.ts';
import { until } from './until.ts';

type Followed = FollowedChange['resource'];

/** The history of davit's Services and Pods in a cluster, sandbox or real, as the cluster's API reports it. */
export interface FollowedHistory extends AsyncDisposable {
  /** Every observed change, oldest first within each resource. */
  readonly changes: readonly FollowedChange[];
  /** The names of the objects created so far, in order. A name repeats if it was created repeatedly. */
  created(resource: Followed): Promise<string[]>;
  /** The existing objects of one launch, or of all, as `Pod davit-x`. */
  left(launchId?: string): Promise<string[]>;
  /** The current state of an object. @throws Error when it does not exist */
  object(resource: Followed, name: string): Promise<KubeObject>;
  /** Resolves when an object matches. @throws Error when none does in time */
  until(resource: Followed, isTrue: (object: KubeObject) => boolean): Promise<KubeObject>;
  /** Resolves when no object is left. @throws Error naming the objects that stay */
  untilNothingIsLeft(): Promise<void>;
}

/** Starts to record a cluster's history. Ignores objects that existed before. */
export async function followHistory(kubeconfig: string): Promise<FollowedHistory> {
  const changes: FollowedChange[] = [];
  const listeners = new Set<() => void>();
  const earlier = new Set<string>();
  const follower = await followCluster(kubeconfig, (change) => {
    if (earlier.has(change.object.metadata.uid)) return;
    changes.push(change);
    for (const listener of listeners) listener();
  });
  for (const { metadata } of await follower.present()) earlier.add(metadata.uid);
  changes.length = 0;
  const present = async () => (await follower.present()).filter(({ metadata }) => !earlier.has(metadata.uid));
  const said = ({ kind, metadata }: KubeObject) => `${kind} ${metadata.name}`;
  const subscribe = (changed: () => void) => {
    listeners.add(changed);
    return () => listeners.delete(changed);
  };
  const heardOf = () => {
    const last = new Map(changes.map((change) => [change.object.metadata.uid, change]));
    return [...last.values()].flatMap(({ type, object }) => (type === 'DELETED' ? [] : [said(object)]));
  };
  return {
    changes,
    created: async (resource) => {
      await follower.present();
      const added = changes.filter((change) => change.resource === resource && change.type === 'ADDED');
      return added.map(({ object }) => object.metadata.name);
    },
    left: async (launchId) =>
      (await present())
        .filter(({ metadata }) => launchId === undefined || metadata.labels?.[labelKeys.launchId] === launchId)
        .map(said),
    object: async (resource, name) => {
      const kind = { services: 'Service', pods: 'Pod' }[resource];
      const found = (await present()).find((each) => said(each) === `${kind} ${name}`);
      if (found === undefined) throw new Error(`there is no ${kind} ${name}`);
      return found;
    },
    until: (resource, isTrue) =>
      until({
        subscribe,
        look: () => changes.findLast((change) => change.resource === resource && isTrue(change.object))?.object,
        missing: () => `no ${resource} matched in time`,
      }),
    untilNothingIsLeft: async () => {
      await follower.present();
      await until({
        subscribe,
        look: () => heardOf().length === 0 || undefined,
        missing: () => `still there: ${heardOf().join(', ')}`,
      });
    },
    [Symbol.asyncDispose]: () => follower[Symbol.asyncDispose](),
  };
}

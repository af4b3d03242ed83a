import { labelKeys } from '../../core/launch/names.ts';
import type { KubeObject, ResourceName } from '../../sandbox/cluster-store.ts';
import type { SandboxCluster } from '../../sandbox/sandbox-cluster.ts';
import type { LoggedChange } from '../../sandbox/store/change-log.ts';
import { until } from './until.ts';

/** The history of a sandbox's Services and Pods that carry davit's label, as the sandbox reports it. */
export interface ClusterHistory extends Disposable {
  /** Every change, oldest first. */
  readonly changes: readonly LoggedChange[];
  /** The names of the created objects, in order. A name repeats if it was created repeatedly. */
  created(resource: 'services' | 'pods'): string[];
  /** The existing objects of one launch, or of all, as `Pod davit-x`. */
  left(launchId?: string): string[];
  /** Resolves when an object matches. @throws Error when none does in time */
  until(resource: 'services' | 'pods', isTrue: (object: KubeObject) => boolean): Promise<KubeObject>;
  /** Resolves when no object is left. @throws Error naming the objects that stay */
  untilNothingIsLeft(): Promise<void>;
}

const watched: readonly ResourceName[] = ['services', 'pods'];

/** Starts to record a sandbox's history. */
export function keepHistory({ store }: Pick<SandboxCluster, 'store'>): ClusterHistory {
  const changes: LoggedChange[] = [];
  const unsubscribe = store.changes.subscribe((change) => {
    if (watched.includes(change.resource) && isOurs(change.object)) changes.push(change);
  });
  const present = (resource: ResourceName) => store.objects.list(resource).filter(isOurs);
  const left = (launchId?: string) =>
    watched
      .flatMap(present)
      .filter(({ metadata }) => launchId === undefined || metadata.labels?.[labelKeys.launchId] === launchId)
      .map(({ kind, metadata }) => `${kind} ${metadata.name}`);

  return {
    changes,
    created: (resource) =>
      changes.flatMap((change) =>
        change.resource === resource && change.type === 'ADDED' ? [change.object.metadata.name] : [],
      ),
    left,
    until: (resource, isTrue) =>
      until({
        subscribe: (changed) => store.changes.subscribe(changed),
        look: () => present(resource).find(isTrue),
        missing: () => `no ${resource} matched in time; there are ${left().join(', ')}`,
      }),
    untilNothingIsLeft: async () => {
      await until({
        subscribe: (changed) => store.changes.subscribe(changed),
        look: () => left().length === 0 || undefined,
        missing: () => `still there: ${left().join(', ')}`,
      });
    },
    [Symbol.dispose]: unsubscribe,
  };
}

function isOurs({ metadata }: KubeObject): boolean {
  return metadata.labels?.[labelKeys.managedBy] === 'davit';
}

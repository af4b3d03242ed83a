import { labelKeys } from '../../functions/domain/names.ts';
import type { KubeObject, ResourceName } from '../../sandbox/cluster-store.ts';
import type { SandboxCluster } from '../../sandbox/sandbox-cluster.ts';
import type { LoggedChange } from '../../sandbox/store/change-log.ts';
import { until } from './until.ts';

/** What happened in a sandbox to the Services and Pods that carry davit's label, by the sandbox's own account. */
export interface ClusterHistory extends Disposable {
  /** Every change, oldest first. */
  readonly changes: readonly LoggedChange[];
  /** The names of what was created, in order; a name is there as often as it was created. */
  created(resource: 'services' | 'pods'): string[];
  /** What there is now, of one launch or of all, as `Pod davit-x`. */
  left(launchId?: string): string[];
  /** Resolves when there is something of which this is true. @throws Error when that does not come */
  until(resource: 'services' | 'pods', isTrue: (object: KubeObject) => boolean): Promise<KubeObject>;
  /** Resolves when there is nothing left. @throws Error naming what does not go */
  untilNothingIsLeft(): Promise<void>;
}

const watched: readonly ResourceName[] = ['services', 'pods'];

/** Starts to keep a sandbox's history. */
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
        missing: () => `no ${resource} came to be as was waited for; there are ${left().join(', ')}`,
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

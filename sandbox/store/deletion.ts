import type { DeleteOptions, KubeObject, ResourceName } from '../cluster-store.ts';
import { kubeTime } from './kube-time.ts';
import { resources } from './resources.ts';
import { conflict } from './status-error.ts';

/** The finalizer that keeps an owner until its dependents are deleted. */
export const foregroundFinalizer = 'foregroundDeletion';
/** The finalizer that keeps an owner until its dependents no longer refer to it. */
export const orphanFinalizer = 'orphan';

/** @throws StatusError Conflict (409) if the object does not meet the client's preconditions. */
export function checkPreconditions(
  resource: ResourceName,
  object: KubeObject,
  preconditions: DeleteOptions['preconditions'] = {},
): void {
  const { name, uid, resourceVersion } = object.metadata;
  const mismatch = (field: string, wanted: string, found: string, perhaps: string): never => {
    throw conflict(
      resources[resource].kind, // the real server names the kind here, not the resource as elsewhere
      name,
      `the ${field} in the precondition (${wanted}) does not match the ${field} in record (${found}). ${perhaps}`,
    );
  };
  if (preconditions.uid !== undefined && preconditions.uid !== uid) {
    mismatch('UID', preconditions.uid, uid, 'The object might have been deleted and then recreated');
  }
  if (preconditions.resourceVersion !== undefined && preconditions.resourceVersion !== resourceVersion) {
    const perhaps = 'The object might have been modified';
    mismatch('ResourceVersion', preconditions.resourceVersion, resourceVersion, perhaps);
  }
}

/** Only a Pod that is bound to a node and still runs gets a grace period. */
function graceSeconds(resource: ResourceName, object: KubeObject, wanted: number | undefined): number {
  const phase = object.status?.['phase'];
  if (resource !== 'pods' || object.spec?.['nodeName'] === undefined || phase === 'Succeeded' || phase === 'Failed') {
    return 0;
  }
  const seconds = wanted ?? object.spec['terminationGracePeriodSeconds'];
  // A negative period means the shortest one.
  return typeof seconds === 'number' ? (seconds < 0 ? 1 : seconds) : 0;
}

function finalizersAfter(object: KubeObject, policy: DeleteOptions['propagationPolicy']): string[] {
  const present = object.metadata.finalizers ?? [];
  if (policy === undefined) return present;
  const others = present.filter((finalizer) => finalizer !== foregroundFinalizer && finalizer !== orphanFinalizer);
  const added = { Foreground: [foregroundFinalizer], Orphan: [orphanFinalizer], Background: [] }[policy];
  return [...others, ...added];
}

/** Returns the deletion time and grace period after the request. A later request can only shorten them. */
function deadline(object: KubeObject, grace: number, nowEpochMs: number): { time: string; seconds: number } {
  const { deletionTimestamp, deletionGracePeriodSeconds = 0 } = object.metadata;
  if (deletionTimestamp === undefined) return { time: kubeTime(nowEpochMs + grace * 1000), seconds: grace };
  const seconds = Math.min(grace, deletionGracePeriodSeconds);
  const shortenedByMs = (deletionGracePeriodSeconds - seconds) * 1000;
  return { time: kubeTime(Date.parse(deletionTimestamp) - shortenedByMs), seconds };
}

/** Marks an object as deleted. `isFinal` then tells whether the store can remove it. */
export function markDeleted(
  resource: ResourceName,
  object: KubeObject,
  options: DeleteOptions,
  nowEpochMs: number,
): KubeObject {
  const { finalizers: _, ...metadata } = object.metadata;
  const finalizers = finalizersAfter(object, options.propagationPolicy);
  const { time, seconds } = deadline(object, graceSeconds(resource, object, options.gracePeriodSeconds), nowEpochMs);
  return {
    ...object,
    metadata: {
      ...metadata,
      ...(finalizers.length === 0 ? {} : { finalizers }),
      deletionTimestamp: time,
      deletionGracePeriodSeconds: seconds,
    },
    ...(resource === 'namespaces' ? { status: { ...object.status, phase: 'Terminating' } } : {}),
  };
}

/** Whether the store can remove a deleted object: it has no grace period, no finalizer and no content left. */
export function isFinal(object: KubeObject): boolean {
  const { deletionTimestamp, deletionGracePeriodSeconds = 0, finalizers = [] } = object.metadata;
  const contentFinalizers = object.kind === 'Namespace' ? object.spec?.['finalizers'] : undefined;
  const isEmpty = !Array.isArray(contentFinalizers) || contentFinalizers.length === 0;
  return deletionTimestamp !== undefined && deletionGracePeriodSeconds === 0 && finalizers.length === 0 && isEmpty;
}

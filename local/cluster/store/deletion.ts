import type { DeleteOptions, KubeObject, ResourceName } from '../cluster-store.ts';
import { kubeTime } from './kube-time.ts';
import { RESOURCES } from './resources.ts';
import { conflict } from './status-error.ts';

/** The finalizer that holds an owner until its dependents are gone. */
export const FOREGROUND_FINALIZER = 'foregroundDeletion';
/** The finalizer that holds an owner until its dependents are made independent. */
export const ORPHAN_FINALIZER = 'orphan';

/** @throws StatusError Conflict (409) if the object is not the one that the client meant. */
export const checkPreconditions = (
  resource: ResourceName,
  object: KubeObject,
  preconditions: DeleteOptions['preconditions'] = {},
): void => {
  const { name, uid, resourceVersion } = object.metadata;
  const mismatch = (field: string, wanted: string, found: string, perhaps: string): never => {
    throw conflict(
      RESOURCES[resource].kind, // not the resource, as elsewhere
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
};

/** Only a Pod that a kubelet looks after, and that still runs, is given time. */
const graceSeconds = (resource: ResourceName, object: KubeObject, wanted: number | undefined): number => {
  const phase = object.status?.['phase'];
  if (resource !== 'pods' || object.spec?.['nodeName'] === undefined || phase === 'Succeeded' || phase === 'Failed') {
    return 0;
  }
  const seconds = wanted ?? object.spec['terminationGracePeriodSeconds'];
  // A negative period stands for the shortest.
  return typeof seconds === 'number' ? (seconds < 0 ? 1 : seconds) : 0;
};

const finalizersAfter = (object: KubeObject, policy: DeleteOptions['propagationPolicy']): string[] => {
  const present = object.metadata.finalizers ?? [];
  if (policy === undefined) {
    return present;
  }
  const others = present.filter((finalizer) => finalizer !== FOREGROUND_FINALIZER && finalizer !== ORPHAN_FINALIZER);
  const added = { Foreground: [FOREGROUND_FINALIZER], Orphan: [ORPHAN_FINALIZER], Background: [] }[policy];
  return [...others, ...added];
};

/** The time and the grace period that stand in the object after the request: a later request can only shorten them. */
const deadline = (object: KubeObject, grace: number, nowEpochMs: number): { time: string; seconds: number } => {
  const { deletionTimestamp, deletionGracePeriodSeconds = 0 } = object.metadata;
  if (deletionTimestamp === undefined) {
    return { time: kubeTime(nowEpochMs + grace * 1000), seconds: grace };
  }
  const seconds = Math.min(grace, deletionGracePeriodSeconds);
  const shortenedByMs = (deletionGracePeriodSeconds - seconds) * 1000;
  return { time: kubeTime(Date.parse(deletionTimestamp) - shortenedByMs), seconds };
};

/** What a delete request makes of an object: the marked object; `isFinal` says whether anything still holds it. */
export const markDeleted = (
  resource: ResourceName,
  object: KubeObject,
  options: DeleteOptions,
  nowEpochMs: number,
): KubeObject => {
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
};

/** Whether an object that is marked as deleted is to go now: no grace period, no finalizer, no content. */
export const isFinal = (object: KubeObject): boolean => {
  const { deletionTimestamp, deletionGracePeriodSeconds = 0, finalizers = [] } = object.metadata;
  const contentFinalizers = object.kind === 'Namespace' ? object.spec?.['finalizers'] : undefined;
  const isEmpty = !Array.isArray(contentFinalizers) || contentFinalizers.length === 0;
  return deletionTimestamp !== undefined && deletionGracePeriodSeconds === 0 && finalizers.length === 0 && isEmpty;
};

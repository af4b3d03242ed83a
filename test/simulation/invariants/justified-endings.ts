import type { FaultKind } from '../world/fault-kinds.ts';
import { deadlines } from '../world/profiles.ts';
import type { Evidence, Invariant, LaunchLife } from './evidence.ts';

type Justifies = (life: LaunchLife, evidence: Evidence) => boolean;

const met =
  (...kinds: FaultKind[]): Justifies =>
  ({ faults }) =>
    kinds.some((kind) => faults.has(kind));

const happened =
  (...kinds: string[]): Justifies =>
  ({ launchId }, { run, objects }) =>
    run.history.some(
      (event) =>
        kinds.includes(event.kind) &&
        (('launchId' in event && event.launchId === launchId) ||
          ('uid' in event && objects.get(event.uid)?.created.launchId === launchId)),
    );

const phase =
  (wanted: 'Failed' | 'Succeeded'): Justifies =>
  ({ launchId }, evidence) =>
    [...evidence.of('podOver')].some(
      (event) => event.phase === wanted && evidence.objects.get(event.uid)?.created.launchId === launchId,
    );

const skewSeconds = 5;

const passed =
  (seconds: number): Justifies =>
  ({ events, ending }) => {
    const startedAtEpochMs = events[0]?.atEpochMs ?? Infinity;
    return ((ending?.recordedAtEpochMs ?? 0) - startedAtEpochMs) / 1000 >= seconds - skewSeconds;
  };

const never: Justifies = () => false;

/** What must have happened for a launch to fail with a code; a code that is not here cannot come of these faults. */
const causes: Readonly<Record<string, Justifies>> = {
  ClusterUnreachable: met('clusterUnreachable', 'clusterOutage', 'clusterAnswerLost', 'clusterLateEffect'),
  ClusterThrottled: met('clusterThrottled'),
  ClusterFault: met('clusterFault'),
  ClusterUnauthorized: met('clusterUnauthorized'),
  WriteConflict: met('clusterConflict', 'clusterAnswerLost', 'clusterLateEffect'),
  StoreUnavailable: met('storeThrottled', 'storeAnswerLost'),
  PodPreempted: met('podPreempted'),
  PodEvicted: met('podEvicted', 'spotReclaimed', 'nodeLost'),
  NodeLost: met('nodeLost', 'spotReclaimed'),
  ServiceDeadlineExceeded: passed(deadlines.serviceSeconds),
  NodePortDeadlineExceeded: passed(deadlines.nodePortSeconds),
  PodDeadlineExceeded: passed(deadlines.podSeconds),
  PlacementDeadlineExceeded: passed(deadlines.placementSeconds),
  PublishDeadlineExceeded: passed(deadlines.publishSeconds),
  ConnectDeadlineExceeded: passed(deadlines.connectSeconds),
  QuotaDeadlineExceeded: met('quotaFull'),
  NodePortRangeDeadlineExceeded: met('portRangeFull'),
  NameCollision: met('nameTaken', 'replacedByOthers'),
  DeletedExternally: happened('deleted', 'gone'),
  ImagePullFailed: met('imagePullFails'),
  ContainerTerminated: happened('containerEnded'),
  PodFailed: phase('Failed'),
  // A node may tell of the container's end before it tells of the Pod's, or never of that.
  PodSucceeded: happened('containerEnded'),
  LaunchExpired: passed(Object.values(deadlines).reduce((sum, seconds) => sum + seconds, 0)),
  // The invariant about agents' lives says when.
  AgentLifetimeExceeded: ({ record }) => record?.connectedAtEpochMs !== undefined,
  TokenConflict: never,
  LaunchOver: never,
  InputInvalid: never,
  ExecutionEnded: happened('executionEnded'),
  Unexpected: met('crashBeforeWrite', 'crashAfterWrite', 'stalled', 'slowStart', 'invokeRefused', 'invokeAnswerLost'),
};

/** DESIGN.md's third and more: not a phase alone, and nothing else that did not happen, fails a launch. */
export const justifiedEndings: Invariant = {
  name: '3: a launch fails only by what happened to it: no phase but Succeeded and Failed ends it by itself',
  *check(evidence) {
    for (const life of evidence.launches.values()) {
      const { ending, launchId } = life;
      if (ending?.outcome !== 'failed') continue;
      if (causes[ending.code]?.(life, evidence) !== true) {
        yield `${launchId} failed for nothing that happened: ${ending.code}: ${ending.message}`;
      }
    }
  },
};

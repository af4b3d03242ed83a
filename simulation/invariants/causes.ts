import type { RelaunchCode } from '../../core/errors/error-codes.ts';
import { agentExpiresAtEpochMs, type Deadlines } from '../../core/launch/launch-state.ts';
import type { FaultKind } from '../world/fault-kinds.ts';
import { profiles } from '../world/profiles.ts';
import { codeOf, type Ended, podsOf } from './ended.ts';
import { skewMs, wasDeleted } from './evidence.ts';
import { lastedTrouble } from './lasted-trouble.ts';

type Justifies = (ended: Ended) => boolean;

const all =
  (...parts: Justifies[]): Justifies =>
  (ended) =>
    parts.every((part) => part(ended));

/** The state machine ended the launch because a state failed with the ending's code. */
const stateFailed: Justifies = ({ ending, failure }) =>
  ending.by === 'the state machine' && failure !== undefined && (codeOf(failure) ?? 'Unexpected') === ending.code;

/** Step Functions repeated the state as often as the state machine allows for this error. */
const repeatsUsedUp: Justifies = ({ failure }) =>
  failure !== undefined && failure.mayRepeat > 0 && failure.repeated >= failure.mayRepeat;

/** A call of this launch, in the state that failed, failed with the ending's code. */
const callFailed: Justifies = ({ life, ending, failure }) =>
  life.events.some(
    (event) =>
      event.kind === 'callFailed' &&
      event.code === ending.code &&
      event.atEpochMs >= (failure?.enteredAtEpochMs ?? Infinity),
  );

const lambdaFaults: ReadonlySet<FaultKind> = new Set(['invokeRefused', 'invokeAnswerLost', 'slowStart']);

/** Lambda failed each attempt of the state: it refused it, lost its answer, or its run died. */
const lambdaFailed: Justifies = ({ life, failure }) => {
  const failures = life.events.filter(
    (event) =>
      event.atEpochMs >= (failure?.enteredAtEpochMs ?? Infinity) &&
      (event.kind === 'died' || (event.kind === 'fault' && lambdaFaults.has(event.fault))),
  );
  return failures.length > (failure?.repeated ?? Infinity);
};

/** The longest standstill of a run between making a plan and writing it. */
const longestStallMs = 90_000;

/** When the generation that ended began: the first deadline of a generation counts from there. */
function begunAtEpochMs({ evidence, life, ending }: Ended): number {
  const begun = life.events.findLast(
    (event) =>
      event.atEpochMs <= ending.recordedAtEpochMs &&
      (event.kind === 'relaunched' || (event.kind === 'recorded' && event.from === undefined)),
  );
  // Reconciling plans launches, too.
  const planners = life.record?.plan?.join === undefined ? [life] : [life, evidence.launches.get('reconcile')];
  const hasStalled = planners.some((planner) => planner?.faults.has('stalled'));
  return (begun?.atEpochMs ?? Infinity) - (hasStalled ? longestStallMs : 0);
}

/**
 * Returns when the agent's token was first published, by the time in the token. An attempt may have published it
 * although its answer was lost, or after it stood still.
 */
function publishedAtEpochMs({ evidence, ending }: Ended): number {
  const written = [...evidence.of('tokenWritten')].find(({ token }) => token.agentName === ending.agentName);
  return written === undefined ? Infinity : Date.parse(written.token.publishedAt);
}

/** A deadline passed, counted from the beginning of the attempt that completed the state before. */
function passed(deadline: keyof Deadlines): Justifies {
  return all(stateFailed, (ended) => {
    const { life, failure, entry } = ended;
    const { plan } = life.record ?? {};
    const isFirst = deadline === 'serviceSeconds' || (deadline === 'podSeconds' && plan?.expose === 'none');
    const enteredEpochMs = isFirst ? begunAtEpochMs(ended) : (entry?.sinceEpochMs ?? Infinity);
    const sinceEpochMs = Math.min(enteredEpochMs, deadline === 'connectSeconds' ? publishedAtEpochMs(ended) : Infinity);
    return (failure?.atEpochMs ?? 0) - sinceEpochMs >= (plan?.deadlines[deadline] ?? Infinity) * 1000 - skewMs;
  });
}

/** The cluster had no room for the length of the deadline, since its first report to this generation. */
const noRoom = (deadline: keyof Deadlines, ...kinds: FaultKind[]): Justifies =>
  all(stateFailed, ({ life, failure, objects }) => {
    const seconds = life.record?.plan?.deadlines[deadline] ?? Infinity;
    const first = life.events.find((event) => event.kind === 'fault' && kinds.includes(event.fault));
    if (objects.some(({ created }) => created.object === 'Pod') || first === undefined) return false;
    return (failure?.atEpochMs ?? 0) - first.atEpochMs >= seconds * 1000 - skewMs;
  });

/** The launch was begun again as often as its profile allows; a move to another cluster does not count. */
const relaunchesUsed: Justifies = ({ life: { record, relaunched } }) =>
  relaunched.filter(({ cluster, endedCluster }) => cluster === endedCluster).length >=
  (record?.plan?.maxRelaunches ?? 0);

/** Infrastructure took the generation's Pod, and no relaunch is left. */
const taken = (...codes: RelaunchCode[]): Justifies =>
  all(stateFailed, relaunchesUsed, (ended) =>
    podsOf(ended).some(({ taken: times }) =>
      times.some(({ code, atEpochMs }) => codes.includes(code) && atEpochMs <= endOf(ended)),
    ),
  );

/** A container of the generation's Pod ended, and was one of this kind. */
const containerEnded = (wanted: (container: string, exitCode: number) => boolean): Justifies =>
  all(stateFailed, (ended) =>
    podsOf(ended).some(({ ended: containers }) =>
      containers.some(({ container, exitCode, atEpochMs }) => wanted(container, exitCode) && atEpochMs <= endOf(ended)),
    ),
  );

/** Another user, or the cluster, deleted the generation's Service or Pod. */
const deleted: Justifies = (ended) => wasDeleted(ended.evidence, ended.objects, endOf(ended));

/**
 * davit's report is right that infrastructure did not take the Pod, or davit could not read the API server's data on
 * the Pod.
 */
const notTaken: Justifies = (ended) =>
  ended.life.faults.has('watchExpired') ||
  ended.life.faults.has('watchGap') ||
  podsOf(ended).every(({ taken: times }) => times.every(({ atEpochMs }) => atEpochMs > endOf(ended))) ||
  nameTaken(ended);

/** Another owner's object had the agent's name. */
const nameTaken: Justifies = ({ evidence, ending, objects }) =>
  [...evidence.objects.values()].some(
    ({ created }) =>
      created.name === ending.agentName && created.atEpochMs <= ending.recordedAtEpochMs && created.by !== 'davit',
  ) || objects.filter(({ created }) => created.object === 'Service').length > 1;

/** A person stopped the execution, or its own clean-up failed for good. */
const executionEnded: Justifies = ({ life, ending }) =>
  ending.by === 'Step Functions' &&
  life.events.some(
    (event) =>
      event.atEpochMs <= ending.recordedAtEpochMs &&
      (event.kind === 'stoppedByHand' ||
        (event.kind === 'stateFailed' && event.state === 'CleanUp' && event.repeated >= event.mayRepeat)),
  );

/** The credential of the generation's agent expired, or would have before the agent could connect. */
const expired: Justifies = (ended) => {
  const { life, ending } = ended;
  const { plan } = life.record ?? {};
  if (plan === undefined) return false;
  const { placementSeconds, publishSeconds, connectSeconds } = plan.deadlines;
  const neededMs = ending.by === 'the sweep' ? 0 : (placementSeconds + publishSeconds + connectSeconds) * 1000;
  const startedAtEpochMs = begunAtEpochMs(ended);
  const { deadlines } = plan;
  return ending.recordedAtEpochMs >= agentExpiresAtEpochMs({ startedAtEpochMs, deadlines }) - neededMs - skewMs;
};

/** The same job used the execution's name before, and its record has expired since. */
const nameUsed: Justifies = ({ evidence, life, ending }) =>
  ending.by === 'the sweep' && evidence.forgotten.has(life.launchId);

const transient = all(stateFailed, repeatsUsedUp, callFailed);
const initContainers = new Set(profiles.flatMap(({ template }) => Array.from(initNamesOf(template.spec))));

function* initNamesOf(spec: Record<string, unknown>): Iterable<string> {
  const { initContainers: found } = spec;
  if (Array.isArray(found)) for (const { name } of found) yield name;
}

function endOf({ failure, ending }: Ended): number {
  return failure?.atEpochMs ?? ending.recordedAtEpochMs;
}

/** The possible causes of each code, in the launch's own history; these faults cause no other code. */
export const causes: Readonly<Record<string, Justifies>> = {
  ClusterUnreachable: transient,
  ClusterThrottled: transient,
  ClusterFault: transient,
  StoreUnavailable: transient,
  WriteConflict: all(stateFailed, repeatsUsedUp),
  ClusterUnauthorized: all(stateFailed, callFailed),
  ClusterForbidden: all(stateFailed, callFailed),
  NamespaceMissing: all(stateFailed, callFailed),
  AdmissionUnavailable: transient,
  PodPreempted: taken('PodPreempted'),
  PodEvicted: taken('PodEvicted'),
  NodeLost: taken('NodeLost'),
  ServiceDeadlineExceeded: passed('serviceSeconds'),
  NodePortDeadlineExceeded: passed('nodePortSeconds'),
  PodDeadlineExceeded: passed('podSeconds'),
  PlacementDeadlineExceeded: passed('placementSeconds'),
  PublishDeadlineExceeded: passed('publishSeconds'),
  ConnectDeadlineExceeded: passed('connectSeconds'),
  QuotaDeadlineExceeded: noRoom('quotaSeconds', 'quotaFull'),
  NodePortRangeDeadlineExceeded: noRoom('nodePortRangeSeconds', 'portRangeFull'),
  NameCollision: all(stateFailed, nameTaken),
  DeletedExternally: all(stateFailed, relaunchesUsed, deleted, notTaken),
  ImagePullFailed: all(stateFailed, lastedTrouble('ImagePullFailed')),
  ContainerStartFailed: all(stateFailed, lastedTrouble('ContainerStartFailed')),
  InitContainerFailed: containerEnded((container) => initContainers.has(container)),
  ContainerTerminated: containerEnded((container) => !initContainers.has(container)),
  PodFailed: containerEnded((_container, exitCode) => exitCode !== 0),
  // A node may report the container's end before the Pod's, or never report the Pod's.
  PodSucceeded: containerEnded((_container, exitCode) => exitCode === 0),
  LaunchExpired: expired,
  // The invariant about agents' lives checks the time.
  AgentLifetimeExceeded: ({ life }) => life.connectedAtEpochMs !== undefined,
  ExecutionEnded: (ended) => executionEnded(ended) || nameUsed(ended),
  Unexpected: all(stateFailed, repeatsUsedUp, lambdaFailed),
};

import * as z from 'zod';
import type { KubeObject } from '../cluster-store.ts';
import { age } from './human-duration.ts';

const ContainerState = z
  .looseObject({
    waiting: z.looseObject({ reason: z.string().default('') }).optional(),
    running: z.looseObject({}).optional(),
    terminated: z
      .looseObject({
        reason: z.string().default(''),
        exitCode: z.number().default(0),
        signal: z.number().default(0),
        finishedAt: z.string().optional(),
      })
      .optional(),
  })
  .default({});

const ContainerStatus = z.looseObject({
  ready: z.boolean().default(false),
  restartCount: z.number().default(0),
  state: ContainerState,
  lastState: ContainerState,
});

type ContainerStatus = z.infer<typeof ContainerStatus>;
type Terminated = NonNullable<ContainerStatus['state']['terminated']>;

const PodFields = z.looseObject({
  spec: z.looseObject({
    nodeName: z.string().default('<none>'),
    containers: z.array(z.unknown()).default([]),
    initContainers: z.array(z.unknown()).default([]),
    readinessGates: z.array(z.looseObject({ conditionType: z.string() })).default([]),
  }),
  status: z.looseObject({
    phase: z.string().default(''),
    reason: z.string().default(''),
    podIP: z.string().default('<none>'),
    nominatedNodeName: z.string().default('<none>'),
    conditions: z
      .array(z.looseObject({ type: z.string(), status: z.string(), reason: z.string().optional() }))
      .default([]),
    initContainerStatuses: z.array(ContainerStatus).default([]),
    containerStatuses: z.array(ContainerStatus).default([]),
  }),
});

type Pod = z.infer<typeof PodFields>;

function holds(pod: Pod, type: string): boolean {
  return pod.status.conditions.some((condition) => condition.type === type && condition.status === 'True');
}

function endReason({ reason, signal, exitCode }: Terminated): string {
  return reason === '' ? (signal === 0 ? `ExitCode:${exitCode}` : `Signal:${signal}`) : reason;
}

/** Returns the reason of the first unfinished init container, or undefined if all are finished. */
function initReason(pod: Pod): string | undefined {
  const index = pod.status.initContainerStatuses.findIndex(({ state }) => state.terminated?.exitCode !== 0);
  const state = pod.status.initContainerStatuses[index]?.state;
  if (state === undefined) return undefined;
  if (state.terminated !== undefined) return `Init:${endReason(state.terminated)}`;
  const waitsFor = state.waiting?.reason ?? '';
  return waitsFor === '' || waitsFor === 'PodInitializing'
    ? `Init:${index}/${pod.spec.initContainers.length}`
    : `Init:${waitsFor}`;
}

/** Returns the reason of the first container that waits or has ended, otherwise `reason`. */
function containersReason(pod: Pod, reason: string): string {
  const reasons = pod.status.containerStatuses.flatMap(({ state }) =>
    (state.waiting?.reason ?? '') !== ''
      ? [state.waiting?.reason ?? '']
      : state.terminated === undefined
        ? []
        : [endReason(state.terminated)],
  );
  const found = reasons[0] ?? reason;
  const isRunning = pod.status.containerStatuses.some(({ ready, state }) => ready && state.running !== undefined);
  return found === 'Completed' && isRunning ? (holds(pod, 'Ready') ? 'Running' : 'NotReady') : found;
}

function statusOf(object: KubeObject, pod: Pod): string {
  const { phase, reason, conditions } = pod.status;
  if (object.metadata.deletionTimestamp !== undefined && !['Succeeded', 'Failed'].includes(phase)) {
    return reason === 'NodeLost' ? 'Unknown' : 'Terminating';
  }
  const isGated = conditions.some(({ type, reason: why }) => type === 'PodScheduled' && why === 'SchedulingGated');
  const ownReason = isGated ? 'SchedulingGated' : reason === '' ? phase : reason;
  const initializing = initReason(pod);
  return initializing !== undefined && !holds(pod, 'Initialized') ? initializing : containersReason(pod, ownReason);
}

function restartsOf(pod: Pod, nowEpochMs: number): string {
  const statuses = pod.status.containerStatuses;
  const restarts = statuses.reduce((sum, { restartCount }) => sum + restartCount, 0);
  const last = statuses
    .flatMap(({ lastState }) => lastState.terminated?.finishedAt ?? [])
    .sort()
    .at(-1);
  return restarts === 0 || last === undefined ? String(restarts) : `${restarts} (${age(last, nowEpochMs)} ago)`;
}

/**
 * Returns the cells of a Pod's row: NAME, READY, STATUS, RESTARTS, AGE, IP, NODE, NOMINATED NODE, READINESS GATES.
 *
 * @see https://github.com/kubernetes/kubernetes/blob/master/pkg/printers/internalversion/printers.go
 */
export function podCells(object: KubeObject, nowEpochMs: number): string[] {
  const pod = PodFields.parse(object);
  const ready = pod.status.containerStatuses.filter((status) => status.ready && status.state.running !== undefined);
  const gates = pod.spec.readinessGates;
  const openGates = gates.filter((gate) => holds(pod, gate.conditionType));
  return [
    object.metadata.name,
    `${ready.length}/${pod.spec.containers.length}`,
    statusOf(object, pod),
    restartsOf(pod, nowEpochMs),
    age(object.metadata.creationTimestamp, nowEpochMs),
    pod.status.podIP,
    pod.spec.nodeName,
    pod.status.nominatedNodeName,
    gates.length === 0 ? '<none>' : `${openGates.length}/${gates.length}`,
  ];
}

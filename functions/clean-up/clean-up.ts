import type { ErrorCode } from '../../core/errors/error-codes.ts';
import { TerminalError } from '../../core/errors/errors.ts';
import { executionEnding, stepFunctions } from '../../core/launch/execution-ending.ts';
import { LaunchState, type PodTimes, Stamps } from '../../core/launch/execution-state.ts';
import {
  type AttributedEnding,
  clustersOf,
  type Ending,
  type EndOptions,
  isLive,
  type LaunchRecord,
  stateMachine,
} from '../../core/launch/launch-record.ts';
import { LaunchId } from '../../core/launch/names.ts';
import { type Timeline, timelineOf, withPodTimes } from '../../core/launch/timeline.ts';
import * as z from '../../core/zod.ts';
import { readFailure } from '../../logic/steps/read-failure.ts';
import type { ClusterStates } from '../../ports/cluster-states.ts';
import type { Launches } from '../../ports/launches.ts';
import { Placement, type RemovalDeps, removeEverywhere } from './remove-everywhere.ts';

/** A launch that failed in the state machine, and what its steps have stamped. */
const FailedLaunch = z.extend(Placement, { ...z.partial(Stamps).shape, failure: LaunchState.shape.failure });

/**
 * An execution that failed, timed out or was aborted.
 *
 * @see https://docs.aws.amazon.com/step-functions/latest/dg/eventbridge-integration.html
 */
const EndedExecution = z.object({
  'detail-type': z.literal('Step Functions Execution Status Change'),
  detail: z.object({
    name: LaunchId,
    status: z.enum(['FAILED', 'TIMED_OUT', 'ABORTED']),
    error: z.nullish(z.string()),
    cause: z.nullish(z.string()),
  }),
});

/**
 * A request from the state machine, from an execution's end, or from a caller that has written the ending into the
 * launch's record.
 */
export const CleanUpInput = z.union([FailedLaunch, EndedExecution, z.strictObject({ launchId: LaunchId })]);
type CleanUpInput = z.infer<typeof CleanUpInput>;

/** Says which launch a clean-up is of. */
export function launchIdOfInput(input: CleanUpInput): LaunchId {
  return 'detail' in input ? input.detail.name : input.launchId;
}

/** The code of a clean-up that left a connected agent alone. The state machine's IsConnected compares it. */
export const observerFailed = 'ObserverFailed' satisfies ErrorCode;

/** In the state machine, becomes `$.ending`, and the execution's error and cause unless the code is `observerFailed`. */
export const CleanUpOutput = z.object({ code: z.string().check(z.minLength(1)), message: z.string() });

interface CleanUpDeps extends RemovalDeps {
  launches: Pick<Launches, 'salvage' | 'end' | 'noteDiagnostics' | 'markCleaned' | 'markLeft'>;
  clusterStates: Pick<ClusterStates, 'get' | 'report'>;
}

/**
 * Removes the objects of a launch and writes the reason into its record. Marks the record first: from then on davit
 * admits no agent, and no step creates an object that stays. Deletes only objects whose label and uid it has just read.
 * Reads the Events and the log of a failed launch's Pod before it deletes the Pod. Safe to repeat, and to run twice at
 * once.
 *
 * Looks in every cluster that the launch has used, but does not wait for a cluster that is known to be away. The record
 * of such a launch stays `cleaning` until the cluster is back and a sweep asks for the rest. A cluster that davit.yaml
 * no longer has does not delay the clean-up: the launch's record and the cluster's record say that objects may be left
 * there.
 *
 * For an execution's failure or end, looks nowhere if nothing is left, or if another process ended the launch. That process
 * has requested the clean-up. If it died before that, a sweep requests it.
 *
 * Leaves the present Pod of a held launch in its cluster, and the Service that owns the Pod, if the Pod is there: the
 * record stays `cleaning` until a person or a sweep ends the hold.
 *
 * An execution only observes an agent that has connected. So its failure does not end the launch of a connected agent:
 * the record stays `connected`, and davit removes nothing.
 *
 * @returns the ending; the code `ObserverFailed` when the agent has connected and goes on; or RemovalPending, to any
 *   caller but the state machine, while objects are left, or may be left in a cluster that is away
 * @throws PendingError RemovalPending, to the state machine, while objects are left; TransientError; TerminalError
 *   InputInvalid for a launch that is unknown or not over
 * @see docs/adr/0016-an-execution-ends-only-what-has-not-connected.md
 */
export async function cleanUp(deps: CleanUpDeps, input: CleanUpInput): Promise<z.infer<typeof CleanUpOutput>> {
  const launchId = launchIdOfInput(input);
  const found = foundEnding(input, deps.nowEpochMs());
  const record = await (found
    ? deps.launches.end(launchId, found, { unlessConnected: true, ...stampedTimeline(input) })
    : deps.launches.salvage(launchId));
  if (found !== undefined && record?.status === 'connected') return goesOn(found);
  const ending = record?.ending ?? found;
  if (ending === undefined || isLive(record)) {
    const detail = record === undefined ? 'there is no such launch' : `the launch is ${record.status}, not over`;
    throw new TerminalError('InputInvalid', `CleanUp: ${detail}`, { launchId });
  }
  if (found !== undefined && isLeftToOthers(record)) return { code: ending.code, message: ending.message };

  const {
    pending,
    away,
    left: leftIn,
    times,
    isHeld,
  } = await removeEverywhere(deps, placementsOf(input, record), record);
  const isStep = 'failure' in input;
  // The state machine repeats the step. Any other caller has invoked Lambda, which repeats a failure and reports it at
  // the end. So the launch stays `cleaning`, and the sweep asks again until its objects are gone.
  if (isStep && pending !== undefined) throw pending;
  const left = pending ?? away;
  // The Pod stays, and so does the status: a sweep asks again when the hold is over.
  if (left === undefined && isHeld) return { code: ending.code, message: ending.message };
  if (left === undefined && leftIn.length > 0) await leave(deps, launchId, leftIn);
  else if (left === undefined) {
    await deps.launches.markCleaned(launchId, deps.nowEpochMs(), times && timelineWith(record, times));
  }
  const { code, message } = left === undefined || isStep ? ending : left;
  return { code, message };
}

/**
 * Records which clusters outside of davit.yaml may still have objects: in their own records first, because davit
 * forgets the launch.
 */
async function leave(
  { clusterStates, launches, nowEpochMs }: CleanUpDeps,
  launchId: LaunchId,
  placements: readonly Placement[],
): Promise<void> {
  const atEpochMs = nowEpochMs();
  for (const { cluster, namespace } of placements) {
    await clusterStates.report({ kind: 'left', cluster, launchId, namespace, atEpochMs });
  }
  await launches.markLeft(launchId, { clusters: placements.map(({ cluster }) => cluster), atEpochMs });
}

/** Says whether nothing is left of a launch, or its clean-up was requested by another process, which ended it. */
function isLeftToOthers(record: LaunchRecord | undefined): boolean {
  if (record?.ending === undefined) return false;
  const isOfExecution = record.ending.by === stateMachine || record.ending.by === stepFunctions;
  return record.status !== 'cleaning' || !isOfExecution;
}

function goesOn({ message }: Ending): z.infer<typeof CleanUpOutput> {
  return {
    code: observerFailed,
    message: `${observerFailed}: the agent has connected and goes on; at last: ${message}`,
  };
}

/** Says how far a launch came that failed in the state machine. */
function stampedTimeline(input: CleanUpInput): Pick<EndOptions, 'reached'> {
  if (!('failure' in input) || input.startedAtEpochMs === undefined) return {};
  const timeline = timelineOf({ ...input, startedAtEpochMs: input.startedAtEpochMs });
  return { reached: { agentName: input.agentName, timeline } };
}

/**
 * Adds the removed Pod's times to the record's timeline: until then, only the cluster knows when containers started.
 */
function timelineWith(record: LaunchRecord | undefined, times: PodTimes): Timeline | undefined {
  const { timeline, plan } = record ?? {};
  return plan && withPodTimes(timeline, plan.startedAtEpochMs, times);
}

/** The namespaces in which the launch may have objects, the present one first. A tombstone has no plan and no objects. */
function placementsOf(input: CleanUpInput, record: LaunchRecord | undefined): Placement[] {
  const present = 'failure' in input ? input : record?.plan;
  if (present === undefined) return [];
  const clusters = new Set([present.cluster, ...(record === undefined ? [] : clustersOf(record))]);
  return [...clusters].map((cluster) => ({ ...present, cluster }));
}

/** The ending in the request; an ending that the record already has comes before it. */
function foundEnding(input: CleanUpInput, nowEpochMs: number): AttributedEnding | undefined {
  if ('failure' in input) {
    const actor = { kind: 'davit', name: stateMachine } as const;
    return { outcome: 'failed', ...readFailure(input.failure), by: stateMachine, actor, atEpochMs: nowEpochMs };
  }
  return 'detail' in input ? executionEnding(input.detail, nowEpochMs) : undefined;
}

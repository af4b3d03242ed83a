import type { ErrorCode } from '../domain/error-codes.ts';
import { PendingError, TerminalError } from '../domain/errors.ts';
import { executionEnding } from '../domain/execution-ending.ts';
import { type Ending, isLive, type LaunchRecord, stateMachine } from '../domain/launch-record.ts';
import { LaunchPlan, LaunchState } from '../domain/launch-state.ts';
import { LaunchId, labelKeys } from '../domain/names.ts';
import { observeMs } from '../manifest.ts';
import type { Cluster, ObjectPort, OpenCluster } from '../ports/cluster.ts';
import type { Launches } from '../ports/launches.ts';
import { readDiagnostics } from '../steps/read-diagnostics.ts';
import { readFailure } from '../steps/read-failure.ts';
import { type RemovedObject, removeObjects } from '../steps/remove-objects.ts';
import * as z from '../zod.ts';

const Place = z.pick(LaunchPlan, { launchId: true, agentName: true, cluster: true, namespace: true });
type Place = z.infer<typeof Place>;

/** A launch that failed in the state machine. */
const FailedLaunch = z.extend(Place, { failure: LaunchState.shape.failure });

/**
 * An execution that ended otherwise than well.
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

/** Asked by the state machine, by an execution's end, or by a caller that has put the end into the launch's record. */
export const CleanUpInput = z.union([FailedLaunch, EndedExecution, z.strictObject({ launchId: LaunchId })]);
type CleanUpInput = z.infer<typeof CleanUpInput>;

/** Says which launch a clean-up is of. */
export function launchIdOf(input: CleanUpInput): LaunchId {
  return 'detail' in input ? input.detail.name : input.launchId;
}

/** The code of a clean-up that left a connected agent alone. The state machine's IsConnected compares it. */
export const observerFailed = 'ObserverFailed' satisfies ErrorCode;

/** In the state machine, becomes `$.ending`, and the execution's error and cause unless the code is `observerFailed`. */
export const CleanUpOutput = z.object({ code: z.string().check(z.minLength(1)), message: z.string() });

/** What CleanUp needs. */
export interface CleanUpDeps {
  openCluster: OpenCluster;
  launches: Pick<Launches, 'get' | 'end' | 'noteDiagnostics' | 'markCleaned'>;
  nowEpochMs: () => number;
}

/**
 * Removes what a launch made and says why in its record. The record is marked first: from then on no agent is let in
 * and no step creates anything that stays. Deletes only objects whose label and uid it has just read. Reads the Events
 * and the log of a failed launch's Pod before it deletes the Pod. Safe to repeat, and to run twice at once.
 *
 * An execution only observes an agent that has connected, so its failure ends no such launch: the record stays
 * `connected`, and nothing is removed.
 *
 * @returns the ending; the code `ObserverFailed` when the agent has connected and goes on; or RemovalPending, to anybody
 *   but the state machine, while something is still there
 * @throws PendingError RemovalPending, to the state machine, while something is still there; TransientError;
 *   TerminalError InputInvalid for a launch that is unknown or not over
 * @see docs/adr/0016-an-execution-ends-only-what-has-not-connected.md
 */
export async function cleanUp(deps: CleanUpDeps, input: CleanUpInput): Promise<z.infer<typeof CleanUpOutput>> {
  const launchId = launchIdOf(input);
  const found = foundEnding(input, deps.nowEpochMs());
  const record = await (found
    ? deps.launches.end(launchId, found, { unlessConnected: true })
    : deps.launches.get(launchId));
  if (found !== undefined && record?.status === 'connected') return goesOn(found);
  const ending = record?.ending ?? found;
  if (ending === undefined || isLive(record)) {
    const detail = record === undefined ? 'there is no such launch' : `the launch is ${record.status}, not over`;
    throw new TerminalError('InputInvalid', `CleanUp: ${detail}`, { launchId });
  }

  const place = placeOf(input, record);
  try {
    if (place !== undefined) await removeAll(deps, place, record);
  } catch (error) {
    // The state machine repeats the step. Anybody else has asked Lambda, which repeats what fails and reports it in the end:
    // the launch stays `cleaning`, and the sweep asks again until its objects are gone.
    if ('failure' in input || !(error instanceof PendingError)) throw error;
    return { code: error.code, message: error.message };
  }
  await deps.launches.markCleaned(launchId, deps.nowEpochMs());
  return { code: ending.code, message: ending.message };
}

function goesOn({ message }: Ending): z.infer<typeof CleanUpOutput> {
  return {
    code: observerFailed,
    message: `${observerFailed}: the agent has connected and goes on; at last: ${message}`,
  };
}

/** A tombstone has no plan, and nothing was ever made for it. */
function placeOf(input: CleanUpInput, record: LaunchRecord | undefined): Place | undefined {
  return 'failure' in input ? input : record?.plan;
}

/** The ending that the asker brings; the record's own, if there is one, comes before it. */
function foundEnding(input: CleanUpInput, nowEpochMs: number): Ending | undefined {
  if ('failure' in input) {
    return { outcome: 'failed', ...readFailure(input.failure), by: stateMachine, atEpochMs: nowEpochMs };
  }
  return 'detail' in input ? executionEnding(input.detail, nowEpochMs) : undefined;
}

/** Removes the launch's objects, of whichever generation, and waits until they are gone. */
async function removeAll(deps: CleanUpDeps, place: Place, record: LaunchRecord | undefined): Promise<void> {
  const { launchId, cluster: name, namespace } = place;
  const cluster = await deps.openCluster(name);
  const untilEpochMs = deps.nowEpochMs() + observeMs;
  const diagnostics = isUntold(record) ? await diagnose(deps, cluster, place, record) : undefined;
  const objects = await removeObjects(cluster, namespace, { [labelKeys.launchId]: launchId });
  // Not before: a cluster that could not be reached for this has told nothing, and is asked again by the next attempt.
  if (diagnostics !== undefined) await deps.launches.noteDiagnostics(launchId, diagnostics);
  for (const removed of objects) {
    const port = removed.kind === 'Pod' ? cluster.pods : cluster.services;
    if (await isGone(port, namespace, removed, untilEpochMs - deps.nowEpochMs())) continue;
    const detail = `${removed.kind} ${removed.name} is not gone yet`;
    throw new PendingError('RemovalPending', detail, { launchId, cluster: name, namespace });
  }
}

function isUntold(record: LaunchRecord | undefined): record is LaunchRecord {
  return record?.ending?.outcome === 'failed' && record.diagnostics === undefined;
}

async function diagnose(deps: CleanUpDeps, cluster: Cluster, { namespace, agentName }: Place, record: LaunchRecord) {
  const secrets = Object.values(record.env ?? {});
  return await readDiagnostics(cluster, { namespace, agentName, secrets }, deps.nowEpochMs());
}

async function isGone(
  objects: ObjectPort<{ metadata: { uid: string } }>,
  namespace: string,
  { name, uid }: RemovedObject,
  leftMs: number,
): Promise<boolean> {
  for await (const seen of objects.observe(namespace, name, { forMs: Math.max(0, leftMs) })) {
    if (seen?.metadata.uid !== uid) return true;
  }
  return false;
}

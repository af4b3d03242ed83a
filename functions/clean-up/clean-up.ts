import * as z from 'zod';
import { codeOfMessage, PendingError, TerminalError } from '../domain/errors.ts';
import { type Ending, isLive, type LaunchRecord } from '../domain/launch-record.ts';
import { LaunchPlan, LaunchState } from '../domain/launch-state.ts';
import { LaunchId, labelKeys } from '../domain/names.ts';
import { observeMs } from '../manifest.ts';
import type { ObjectPort, OpenCluster } from '../ports/cluster.ts';
import type { Launches } from '../ports/launches.ts';

const Place = LaunchPlan.pick({ launchId: true, agentName: true, cluster: true, namespace: true });
type Place = z.infer<typeof Place>;

/** A launch that failed in the state machine. */
const FailedLaunch = Place.extend({ failure: LaunchState.shape.failure });

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
    error: z.string().nullish(),
    cause: z.string().nullish(),
  }),
});

/** Who asks: the state machine, an execution's end, or somebody who has put the end into the launch's record. */
export const CleanUpInput = z.union([FailedLaunch, EndedExecution, z.strictObject({ launchId: LaunchId })]);
type CleanUpInput = z.infer<typeof CleanUpInput>;

/** Becomes `$.ending`, and the execution's error and cause. */
export const CleanUpOutput = z.object({ code: z.string().min(1), message: z.string() });

/** What CleanUp needs. */
export interface CleanUpDeps {
  openCluster: OpenCluster;
  launches: Pick<Launches, 'get' | 'end' | 'markCleaned'>;
  nowEpochMs: () => number;
}

/**
 * Removes what a launch made and says why in its record. The record is marked first: from then on no agent is let in
 * and no step creates anything that stays. Nothing is deleted that was not read, with its label and uid, just before.
 * Safe to repeat, and to run twice at once.
 *
 * @throws PendingError RemovalPending while something is still there; TransientError; TerminalError InputInvalid for
 *   a launch that is unknown or not over
 */
export async function cleanUp(deps: CleanUpDeps, input: CleanUpInput): Promise<z.infer<typeof CleanUpOutput>> {
  const launchId = 'detail' in input ? input.detail.name : input.launchId;
  const found = foundEnding(input, deps.nowEpochMs());
  const record = await (found ? deps.launches.end(launchId, found) : deps.launches.get(launchId));
  const ending = record?.ending ?? found;
  if (ending === undefined || isLive(record)) {
    const says = record === undefined ? 'there is no such launch' : `the launch is ${record.status}, not over`;
    throw new TerminalError('InputInvalid', `CleanUp: ${says}`, { launchId });
  }

  const place = placeOf(input, record);
  if (place !== undefined) await removeAll(deps, place);
  await deps.launches.markCleaned(launchId, deps.nowEpochMs());
  return { code: ending.code, message: ending.message };
}

/** A tombstone has no plan, and nothing was ever made for it. */
function placeOf(input: CleanUpInput, record: LaunchRecord | undefined): Place | undefined {
  return 'failure' in input ? input : record?.plan;
}

/** The ending that the asker brings; the record's own, if there is one, comes before it. */
function foundEnding(input: CleanUpInput, nowEpochMs: number): Ending | undefined {
  if ('failure' in input) return endingOf(input.failure, nowEpochMs);
  if (!('detail' in input)) return undefined;
  const { status, error, cause } = input.detail;
  const says = [`the execution ended as ${status}`, error, cause].filter(Boolean).join(': ');
  const message = `ExecutionEnded: ${says}`;
  return { outcome: 'failed', code: 'ExecutionEnded', message, by: 'Step Functions', atEpochMs: nowEpochMs };
}

const LambdaCause = z.object({ errorType: z.string(), errorMessage: z.string() });

/** Reads davit's code and message out of what a Catch gives: Lambda puts the error into `Cause` as JSON. */
function endingOf({ Error: error, Cause: cause }: LaunchState['failure'], nowEpochMs: number): Ending {
  const thrown = LambdaCause.safeParse(parseJson(cause)).data;
  const message = thrown?.errorMessage ?? cause;
  const code = codeOfMessage(message);
  return {
    outcome: 'failed',
    code: code ?? 'Unexpected',
    message: code === undefined ? `${error}: ${message}` : message,
    by: 'the state machine',
    atEpochMs: nowEpochMs,
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // a Cause of Step Functions' own is plain text
  }
}

/**
 * Deletes the Service first: from that one call on the cluster itself takes the Pod along, even if we die. Its port
 * stays until the Pod has had its grace period. The Pod is deleted as well, so as not to wait for that.
 */
async function removeAll(deps: CleanUpDeps, place: Place): Promise<void> {
  const { services, pods } = await deps.openCluster(place.cluster);
  const untilEpochMs = deps.nowEpochMs() + observeMs;
  const serviceUid = await remove(services, place);
  const podUid = await remove(pods, place);
  await gone(deps, pods, 'Pod', podUid, place, untilEpochMs);
  await gone(deps, services, 'Service', serviceUid, place, untilEpochMs);
}

interface Removable {
  metadata: { uid: string; labels?: Record<string, string> | undefined };
}

/** @returns the uid of what was deleted; undefined when there is none, or it is somebody else's */
async function remove<View extends Removable>(objects: ObjectPort<View>, place: Place): Promise<string | undefined> {
  const found = await objects.get(place.namespace, place.agentName);
  if (found?.metadata.labels?.[labelKeys.launchId] !== place.launchId) return undefined;
  await objects.delete(place.namespace, place.agentName, found.metadata.uid);
  return found.metadata.uid;
}

async function gone<View extends Removable>(
  deps: CleanUpDeps,
  objects: ObjectPort<View>,
  kind: string,
  uid: string | undefined,
  { launchId, agentName, cluster, namespace }: Place,
  untilEpochMs: number,
): Promise<void> {
  if (uid === undefined) return;
  const forMs = Math.max(0, untilEpochMs - deps.nowEpochMs());
  for await (const seen of objects.observe(namespace, agentName, { forMs })) {
    if (seen?.metadata.uid !== uid) return;
  }
  throw new PendingError('RemovalPending', `the ${kind} is not gone yet`, { launchId, cluster, namespace });
}

import {
  isHeld,
  isLive,
  isPresentAgent,
  type LaunchRecord,
  removalBeganAtEpochMs,
} from '../../core/launch/launch-record.ts';
import { maxLaunchSeconds } from '../../core/launch/launch-state.ts';
import { LaunchId, labelKeys } from '../../core/launch/names.ts';
import type { PodView } from '../../core/pod/kubernetes-objects.ts';
import { found, kept, type ObjectReason, spared, type Verdict } from './verdict.ts';

/** The fields of an object that the sweep reads, whatever its kind. */
export type ObjectMetadata = PodView['metadata'];

/** The label of every object that davit creates. A sweep lists by it. */
export const davitsLabel = { [labelKeys.managedBy]: 'davit' };

/** How long the clean-up of a launch has for the agent's Pod and Service, in milliseconds. */
const cleanUpHasMs = 600_000;

/** Reads the launch id in an object's labels; undefined when davit cannot have made it. */
export function launchIdOfObject({ labels = {} }: ObjectMetadata): LaunchId | undefined {
  if (labels[labelKeys.managedBy] !== davitsLabel[labelKeys.managedBy]) return undefined;
  return LaunchId.safeParse(labels[labelKeys.launchId]).data;
}

/**
 * Decides what a sweep does about an object with davit's label.
 *
 * | its launch's record says      | the object is                             | verdict                  |
 * |-------------------------------|-------------------------------------------|--------------------------|
 * | launching, connected          | named as the launch's present agent       | kept                     |
 * | launching, connected          | named otherwise                           | found: EarlierGeneration |
 * | cleaning, and its Pod is held | named as the launch's present agent       | kept                     |
 * | cleaning                      | anything else; see `isLeftToCleanUp`      | found: LaunchCleaning    |
 * | failed, terminated            | anything                                  | found: LaunchOver        |
 * | nothing: there is none        | older than a launch can be in flight      | found: LaunchUnknown     |
 * | nothing: there is none        | younger, or of an age that is not said    | spared: YoungUnknown     |
 * | any of the found rows         | being deleted already                     | spared: BeingDeleted     |
 * | –                             | without a launch id that davit could make | spared: NoLaunchId       |
 *
 * Read the record after the object. Relaunch writes the record before it creates anything, so a name that the record
 * does not have never belongs to a generation that is still to come. A live launch keeps every object with its agent's
 * name, wherever it is: two clusters of a config may be the same one.
 */
export function judgeObject(
  object: ObjectMetadata,
  record: Pick<LaunchRecord, 'status' | 'plan' | 'hold'> | undefined,
  nowEpochMs: number,
): Verdict<ObjectReason> {
  if (launchIdOfObject(object) === undefined) return spared('NoLaunchId');
  if (isPresentAgent(record, object.name)) return kept;
  if (record !== undefined && isHeld(record) && record.plan?.agentName === object.name) return kept;
  if (object.deletionTimestamp !== undefined) return spared('BeingDeleted');
  if (record !== undefined) return found(reasonOf(record));
  return isOlderThanAnyLaunch(object, nowEpochMs) ? found('LaunchUnknown') : spared('YoungUnknown');
}

/**
 * Says whether the clean-up of a launch that is over should remove an object, and not the sweep: it reads the agent's Pod first,
 * why the launch failed and whether its job was lost. A clean-up that has not done so for ten minutes does not work.
 */
export function isLeftToCleanUp({ name }: ObjectMetadata, record: LaunchRecord, nowEpochMs: number): boolean {
  if (record.status !== 'cleaning' || record.plan?.agentName !== name) return false;
  return nowEpochMs - removalBeganAtEpochMs(record) < cleanUpHasMs;
}

function reasonOf(record: Pick<LaunchRecord, 'status'>): ObjectReason {
  if (isLive(record)) return 'EarlierGeneration';
  return record.status === 'cleaning' ? 'LaunchCleaning' : 'LaunchOver';
}

function isOlderThanAnyLaunch({ creationTimestamp = '' }: ObjectMetadata, nowEpochMs: number): boolean {
  // Without a creation time the age is NaN, and NaN is not older than anything.
  return nowEpochMs - Date.parse(creationTimestamp) > maxLaunchSeconds * 1000;
}

import type { PodView } from '../domain/kubernetes-objects.ts';
import { isLive, isPresentAgent, type LaunchRecord } from '../domain/launch-record.ts';
import { maxLaunchSeconds } from '../domain/launch-state.ts';
import { LaunchId, labelKeys } from '../domain/names.ts';
import { found, kept, type ObjectReason, spared, type Verdict } from './verdict.ts';

/** What is read of an object, of whichever kind. */
export type ObjectMetadata = PodView['metadata'];

/** The label that every object of davit's carries, by which a sweep lists them. */
export const davitsLabel = { [labelKeys.managedBy]: 'davit' };

/** Reads which launch an object says it is of; undefined for one that davit did not make. */
export function launchIdOf({ labels = {} }: ObjectMetadata): LaunchId | undefined {
  if (labels[labelKeys.managedBy] !== davitsLabel[labelKeys.managedBy]) return undefined;
  return LaunchId.safeParse(labels[labelKeys.launchId]).data;
}

/**
 * Decides what becomes of an object that carries davit's label.
 *
 * | its launch's record says | the object is                             | verdict                  |
 * |--------------------------|-------------------------------------------|--------------------------|
 * | launching, connected     | named as the launch's present agent       | kept                     |
 * | launching, connected     | named otherwise                           | found: EarlierGeneration |
 * | cleaning                 | anything                                  | found: LaunchCleaning    |
 * | failed, terminated       | anything                                  | found: LaunchOver        |
 * | nothing: there is none   | older than a launch can be in flight      | found: LaunchUnknown     |
 * | nothing: there is none   | younger, or of an age that is not said    | spared: YoungUnknown     |
 * | any of what is found     | being deleted already                     | spared: BeingDeleted     |
 * | –                        | without a launch id that davit could make | spared: NoLaunchId       |
 *
 * The record has to be read after the object: whoever relaunches writes the record before it creates anything, so a
 * name that is not the record's is never one that is still to come. A launch that is live keeps what has its name
 * wherever it is: two clusters of a config may be one and the same.
 */
export function judgeObject(
  object: ObjectMetadata,
  record: Pick<LaunchRecord, 'status' | 'plan'> | undefined,
  nowEpochMs: number,
): Verdict<ObjectReason> {
  if (launchIdOf(object) === undefined) return spared('NoLaunchId');
  if (isPresentAgent(record, object.name)) return kept;
  if (object.deletionTimestamp !== undefined) return spared('BeingDeleted');
  if (record !== undefined) return found(reasonOf(record));
  return isOlderThanAnyLaunch(object, nowEpochMs) ? found('LaunchUnknown') : spared('YoungUnknown');
}

function reasonOf(record: Pick<LaunchRecord, 'status'>): ObjectReason {
  if (isLive(record)) return 'EarlierGeneration';
  return record.status === 'cleaning' ? 'LaunchCleaning' : 'LaunchOver';
}

function isOlderThanAnyLaunch({ creationTimestamp = '' }: ObjectMetadata, nowEpochMs: number): boolean {
  // NaN, for a moment that is not said, is older than nothing.
  return nowEpochMs - Date.parse(creationTimestamp) > maxLaunchSeconds * 1000;
}

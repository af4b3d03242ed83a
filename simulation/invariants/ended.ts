import { codeOfMessage } from '../../core/errors/errors.ts';
import type { EventOf, Evidence, LaunchLife, ObjectLife } from './evidence.ts';

/** A launch that ended, and the events that led to its end. */
export interface Ended {
  evidence: Evidence;
  life: LaunchLife;
  ending: NonNullable<LaunchLife['ending']>;
  /** The state that failed for good, in the generation that ended. */
  failure: EventOf<'stateFailed'> | undefined;
  entry: EventOf<'stateEntered'> | undefined;
  /** The Services and Pods that davit made for the generation that ended. */
  objects: ObjectLife[];
}

/** @returns undefined for a launch that did not end */
export function endedOf(evidence: Evidence, life: LaunchLife): Ended | undefined {
  const { ending } = life;
  if (ending === undefined) return undefined;
  const before = life.events.filter(({ atEpochMs }) => atEpochMs <= ending.recordedAtEpochMs);
  const failure = before.findLast((event) => event.kind === 'stateFailed' && event.state !== 'CleanUp');
  const failed = failure?.kind === 'stateFailed' ? failure : undefined;
  const entry = before.findLast((event) => event.kind === 'stateEntered' && event.state === failed?.state);
  const objects = evidence
    .objectsOf(life.launchId)
    .filter(({ created }) => created.by === 'davit' && created.name === ending.agentName);
  return {
    evidence,
    life,
    ending,
    failure: failed,
    entry: entry?.kind === 'stateEntered' ? entry : undefined,
    objects,
  };
}

/** The generation's Pods: more than one when a user deleted the first. */
export function podsOf({ objects }: Ended): ObjectLife[] {
  return objects.filter(({ created }) => created.object === 'Pod');
}

/** Reads davit's code from the error that Lambda returns to Step Functions. */
export function codeOf({ cause }: Pick<EventOf<'stateFailed'>, 'cause'>): string | undefined {
  const message = /"errorMessage":"([A-Za-z]+: )/.exec(cause)?.[1];
  return message === undefined ? undefined : codeOfMessage(message);
}

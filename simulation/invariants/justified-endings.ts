import { causes } from './causes.ts';
import { hasExited, wasSent } from './connected-agents.ts';
import { type Ended, endedOf } from './ended.ts';
import type { Invariant, LaunchLife } from './evidence.ts';
import { isEndedByQueue } from './queue-agents.ts';

/** Invariant 3 of docs/invariants.md and more: a launch ends only for a cause in its history, never for a phase alone. */
export const justifiedEndings: Invariant = {
  name: '3: a launch ends only by what happened to it: no phase but Succeeded and Failed ends it by itself',
  *check(evidence) {
    for (const life of evidence.launches.values()) {
      const ended = endedOf(evidence, life);
      if (ended === undefined || isJustified(ended)) continue;
      yield `${life.launchId} ended for nothing that happened to it: ${ended.ending.by}: ${ended.ending.message}`;
    }
  },
};

function isJustified(ended: Ended): boolean {
  const { evidence, life, ending } = ended;
  if (ending.by === 'the agent exited') return hasExited(evidence, life);
  if (ending.outcome === 'failed') return causes[ending.code]?.(ended) === true;
  if (isEndedByQueue(evidence, life, ending)) return true;
  if (ending.actor?.name === 'reconcile/slots') return wasNeverLaunched(life);
  if (ending.by === 'DELETE /launches') return wasSent(evidence, life, 'delete');
  return ending.by.includes(' workflow_job completed') && wasSent(evidence, life, 'completed');
}

/** davit frees the slots of a dead attempt only once no caller can launch with them. */
function wasNeverLaunched({ events }: LaunchLife): boolean {
  return events.every(
    (event) => event.kind !== 'executionStarted' && (event.kind !== 'recorded' || event.to === 'terminated'),
  );
}

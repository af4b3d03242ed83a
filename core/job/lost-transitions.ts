import { expiryOf } from '../retention.ts';
import type { Transition } from '../transition.ts';
import type { LostJob, LostJobOutcome, LostJobRecord } from './lost-job.ts';

/** The transitions of a lost job's record, as `transitions.ts` has those of a job. */
type LostJobTransition = Transition<LostJobRecord>;

/** Remembers a lost job. The first loss of a run's job of this name stays. */
export function note(lost: LostJob): LostJobTransition {
  // davit remembers a lost job for as long as any job, and runs no older job again.
  return (record) => record ?? { lost, expiresAtEpochSeconds: expiryOf(lost.lostAtEpochMs) };
}

/** Claims a lost job without an outcome, unless another claim lasts. */
export function claim(by: string, atEpochMs: number, untilEpochMs: number): LostJobTransition {
  // Two reconciles at once; a Gitea runs a job again as often as it is asked, once its run is over:
  //   A   nobody's? ──► A   asks ──► asked
  //   B                     nobody's? refused
  return changeWaiting((record) => {
    const { claim: known } = record;
    const isAnothers = known !== undefined && known.by !== by && known.untilEpochMs > atEpochMs;
    const isSame = known?.by === by && known.untilEpochMs === untilEpochMs;
    return isAnothers || isSame ? record : { ...record, claim: { by, untilEpochMs } };
  });
}

/** Says whether a lost job waits, and this reconcile has its claim. */
export function isClaimedBy(record: LostJobRecord | undefined, by: string): boolean {
  return record?.outcome === undefined && record?.claim?.by === by;
}

/** Gives up a claim. Another one's stays. */
export function release(by: string): LostJobTransition {
  return (record) => {
    if (record?.claim?.by !== by) return record;
    const { claim: _claim, ...released } = record;
    return released;
  };
}

/** Records the outcome of a lost job, once. */
export function settle(outcome: LostJobOutcome): LostJobTransition {
  // A claim ends while its reconcile still writes; the first outcome stays:
  //   A   asks ──► asked                    B   asks: a later attempt has begun ──► unneeded? asked: refused
  return changeWaiting((record) => ({ ...record, outcome }));
}

/** Changes a lost job that has no outcome. */
function changeWaiting(change: (record: LostJobRecord) => LostJobRecord): LostJobTransition {
  return (record) => (record === undefined || record.outcome !== undefined ? record : change(record));
}

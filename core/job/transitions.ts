import type { LaunchId } from '../launch/names.ts';
import { present } from '../present.ts';
import type { Transition } from '../transition.ts';
import { type JobRecord, mergeJob, type SeenJob } from './job-record.ts';

/**
 * The transitions of a job's record: the only places where one changes. Each is pure, and leaves a record alone that already
 * is as the command wants it. A comment draws the timeline that a guard is for; in each, the store lets one of two
 * concurrent writes through, and the other command runs again on what that one wrote.
 */
type JobTransition = Transition<JobRecord>;

/** Merges a seen job into its record. */
export function note(seen: SeenJob, atEpochMs: number): JobTransition {
  // Two events of one job at once:
  //   in_progress   reads queued ──► in_progress, runner
  //   queued            reads queued ──────────► refused ──► reads in_progress ──► nothing to add
  return (known) => mergeJob(known, seen, atEpochMs);
}

/** Counts one more launch of a queued job, if it had exactly `counted` launches before. */
export function claimLaunch(counted: number, launchId: LaunchId, atEpochMs: number): JobTransition {
  // A job that is over by then needs no agent:
  //   completed   queued ──► completed
  //   admission                           queued? refused
  return changeKnown((record) => {
    if (record.launches !== counted || record.status !== 'queued') return record;
    const { notLaunched: _notLaunched, limitedBy: _limitedBy, ...kept } = record;
    return { ...kept, launches: counted + 1, lastLaunch: { launchId, atEpochMs } };
  });
}

/** Says whether the launch after the first `counted` is this one. */
export function isClaimed(record: JobRecord | undefined, counted: number, launchId: LaunchId): boolean {
  // Two rounds that both count one launch, and want another. Ids tell a repeat from a rival:
  //   A   1 launch? ──► 2, x1: true
  //   B                     1 launch? refused ──► reads x1: true if that is the id that it wants
  return record?.launches === counted + 1 && record.lastLaunch?.launchId === launchId;
}

/** Records which launch's agent runs the job, once. */
export function noteRanBy(launchId: LaunchId): JobTransition {
  // Two launches claim the same job; the first claim stays:
  //   A   nobody? ──► A
  //   B                   nobody? refused
  return changeKnown((record) => (record.ranBy === undefined ? { ...record, ranBy: launchId } : record));
}

/** Records why davit requested no agent. The job waits for no slot. */
export function noteNotLaunched(reason: string): JobTransition {
  return changeKnown((record) => withReason(record, reason, undefined));
}

/** Records for whose slot a queued job waits, and why, if davit has requested exactly `counted` launches for it. */
export function noteLimited(counted: number, limitKey: string | undefined, reason: string): JobTransition {
  // A job that begins to run just then waits for nothing:
  //   in_progress   queued ──► in_progress
  //   limited                               queued? refused
  // A job that got a slot just then waits for none:
  //   admission   0 launches? ──► 1 launch
  //   limited                                  0 launches? refused
  return changeKnown((record) =>
    record.status === 'queued' && record.launches === counted ? withReason(record, reason, limitKey) : record,
  );
}

/** Changes a job that has a record. */
function changeKnown(change: (record: JobRecord) => JobRecord): JobTransition {
  return (record) => record && change(record);
}

function withReason(record: JobRecord, notLaunched: string, limitKey: string | undefined): JobRecord {
  if (record.notLaunched === notLaunched && record.limitedBy === limitKey) return record;
  const { limitedBy: _limitedBy, ...kept } = record;
  return { ...kept, notLaunched, ...present({ limitedBy: limitKey }) };
}

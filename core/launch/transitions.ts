import { isDeepStrictEqual } from 'node:util';
import { type CiRunner, isInScope } from '../ci/ci-scope.ts';
import type { Diagnostics } from '../pod/diagnostics.ts';
import { present } from '../present.ts';
import type { Transition } from '../transition.ts';
import {
  type BoundJob,
  type Ending,
  type EndOptions,
  type Generation,
  type Hold,
  isCiTrouble,
  isHeld,
  isJoinable,
  isLive,
  isPresentAgent,
  isStandingBy,
  type LaunchRecord,
  type LeftBehind,
  type PodState,
  type RunnerOfJob,
  type Signal,
} from './launch-record.ts';
import type { LaunchPlan } from './launch-state.ts';
import type { Timeline } from './timeline.ts';

/**
 * The transitions of a launch's record: the only places where one changes. Each is pure, leaves a record alone that
 * already is as the command wants it, and refuses by returning the record unchanged. A comment draws the timeline that a
 * guard is for; in each, the store lets one of two concurrent writes through, and the other command runs again on what
 * that one wrote.
 */
type LaunchTransition = Transition<LaunchRecord>;

/** Creates the record of a launch that has none. */
export function request(requested: LaunchRecord): LaunchTransition {
  // Two deliveries of one webhook:
  //   A   none ──► launching ──► starts the execution
  //   B       none? A's record ──► starts the same execution, which is A's
  return (record) => record ?? requested;
}

/** Changes a launch that has a record. */
function changeKnown(change: (record: LaunchRecord) => LaunchRecord): LaunchTransition {
  return (record) => record && change(record);
}

/**
 * Records what the cluster says. The same code of the same container keeps the moment it was first recorded with.
 *
 * @param timeline how far a `launching` launch has come. @default the record keeps its timeline
 */
export function noteSignal(signal: Signal, agentName?: string, timeline?: Timeline): LaunchTransition {
  // Two runs of one step (the first timed out, and is still at work) that see the same trouble, X:
  //   A   X since 10:00:00 ──► recorded
  //   B                            X since 10:00:05? X is known since 10:00:00, which stays
  // A run that is still at work after the relaunch, and saw X at the old Pod. The new Pod's X is not as old:
  //   r1         sees X at 10:00:00 ──► no longer present: refused
  //   relaunch                     r2           r2 sees X ──► since 10:00:20
  return changeKnown((record) => {
    const isAbout = agentName === undefined || record.plan?.agentName === agentName;
    if (!isLive(record) || !isAbout) return record;
    const known = record.signal;
    const isSame = known?.code === signal.code && known.container === signal.container;
    const noted = isSame ? { ...signal, sinceEpochMs: known.sinceEpochMs } : signal;
    const after = { ...record, signal: noted, ...reached(record, timeline) };
    return isDeepStrictEqual(record, after) ? record : after;
  });
}

/** Records the last state of the Pod that a `launching` launch waits for, and how far the launch has come. */
export function notePodState(podState: PodState, agentName: string, timeline: Timeline): LaunchTransition {
  // A step that is still at work when the agent connects must not take back how far the launch has come:
  //   step    sees the Pod start ──────────────► no longer launching: refused
  //   agent                       ──► connected
  return changeKnown((record) => {
    if (record.status !== 'launching' || record.plan?.agentName !== agentName) return record;
    const after = { ...record, podState, ...reached(record, timeline) };
    const isKnown = record.podState?.detail === podState.detail && isDeepStrictEqual(record.timeline, after.timeline);
    return isKnown ? record : after;
  });
}

/** Records how far the present agent of a `launching` launch has come. */
export function noteTimeline(agentName: string, timeline: Timeline): LaunchTransition {
  // A step that has seen its Pod go says how far the launch came, while another run of it has begun the next generation:
  //   A   sees it go ──────────────────────► of r1? no longer present: refused
  //   B   sees it go ──► noted ──► r1 ──► r2
  return changeKnown((record) => {
    if (record.status !== 'launching' || record.plan?.agentName !== agentName) return record;
    const after = { ...record, ...reached(record, timeline) };
    return isDeepStrictEqual(record, after) ? record : after;
  });
}

/** The timeline of a `launching` launch with further steps. A step that is late takes none back. */
function reached(
  { status, timeline: known }: LaunchRecord,
  timeline: Timeline | undefined,
): Pick<LaunchRecord, 'timeline'> {
  return status === 'launching' ? present({ timeline: withSteps(known, timeline) }) : {};
}

/** Adds steps to those that a generation has passed; undefined if it has passed none. */
function withSteps(known: Timeline | undefined, further: Timeline | undefined): Timeline | undefined {
  return further === undefined ? known : { ...known, ...further };
}

/** Removes the signal of a `launching` launch, if it began by that moment, when the Pod was healthy. */
export function clearSignal(seenWellAtEpochMs: number): LaunchTransition {
  // Two runs of one step; A saw the Pod well before B saw new trouble, and writes late:
  //   A   well at 10:00:05 ──────────────────────────────────► since 10:00:09 > 10:00:05: refused
  //   B                      trouble at 10:00:09, recorded
  return changeKnown((record) => {
    const { signal, ...cleared } = record;
    const isOld = signal !== undefined && signal.sinceEpochMs <= seenWellAtEpochMs && !isCiTrouble(signal);
    return record.status === 'launching' && isOld ? cleared : record;
  });
}

/** Marks a `launching` launch as connected. One that joins a CI system is connected by `completeRegistration` or `standBy`. */
export function markConnected(agentName: string, atEpochMs: number, timeline?: Timeline): LaunchTransition {
  // An agent whose 200 is lost asks again, while its job is completed:
  //   status   launching ──► connected ────────────────────► cleaning
  //   agent        asks: set, let in    asks: as it is, let in    asks: refused, sent away
  return changeKnown((record) => {
    const isPresent = record.status === 'launching' && record.plan?.agentName === agentName;
    if (!isPresent || record.plan?.join !== undefined) return record;
    return { ...record, status: 'connected', connectedAtEpochMs: atEpochMs, ...present({ timeline }) };
  });
}

/** Gives a `launching` launch its next generation's plan, if its present agent is the one that ended. */
export function relaunch(plan: LaunchPlan, ended: Generation): LaunchTransition {
  // An agent whose Pod is evicted while it connects; whichever write comes first refuses the other:
  //   agent     launching, r1 ──► connected                           launching, r2 ──► refused, 410
  //   relaunch                        connected ──► refused     launching, r1 ──► r2
  // An agent whose Pod is evicted while it registers. Its registration goes, and with it its claim to a runner:
  //   r1         begins, nonce A ──► registers 7 ──────────────► completes? no longer present: refused ──► removes 7
  //   relaunch                               launching, r1 ──► r2, no registration
  return changeKnown((record) => {
    if (record.status !== 'launching' || record.plan?.agentName !== ended.agentName) return record;
    const { signal: _signal, podState: _podState, registration: _registration, timeline: known, ...kept } = record;
    const generation = { ...ended, ...present({ timeline: withSteps(known, ended.timeline) }) };
    return { ...kept, plan, generations: [...(record.generations ?? []), generation] };
  });
}

/**
 * Moves a live launch to `cleaning` with this ending; the first ending stays. A launch whose ending is damaged gets this
 * one: without any, nothing could clean up after it. If a person ends a launch whose Pod is held, ends the hold.
 */
export function end(
  ending: Ending,
  { unlessLive, unlessConnected, unlessJoined, unlessRunning, reached: further }: EndOptions,
): LaunchTransition {
  // A step fails while the job is cancelled. The first ending stays, and both go on to clean up:
  //   step   launching ──► cleaning, failed
  //   job                      cleaning ──► as it is
  // A step fails while the agent connects, unlessConnected. Whichever write comes first refuses the other:
  //   agent   launching ──► connected                             launching ──► refused, 410
  //   step                      launching? refused, left alone        launching ──► cleaning, failed
  // A surplus agent is retired while its CI system gives it a job, unlessRunning. Whichever write comes first is seen:
  //   CI       in_progress ──► runs 8                                       runs 8, of a launch that is over: bound, too
  //   retire                     runs nothing? refused, left alone    launching ──► cleaning
  return changeKnown((record) => {
    if (record.status === 'cleaning' && record.ending === undefined) return { ...record, ending };
    if (isHeld(record) && ending.actor?.kind === 'person') return released(record, ending.atEpochMs);
    const isSpared =
      unlessLive ||
      (unlessConnected && record.status === 'connected') ||
      (unlessJoined && record.plan?.join !== undefined) ||
      (unlessRunning && record.runs !== undefined);
    if (!isLive(record) || isSpared) return record;
    const isPresent = further !== undefined && further.agentName === record.plan?.agentName;
    const timeline = withSteps(record.timeline, isPresent ? further.timeline : undefined);
    return { ...record, status: 'cleaning', ending, ...present({ timeline, hold: holdOf(record, ending) }) };
  });
}

/** An agent that has connected has had its chance, and what was ended on purpose needs no look. */
function holdOf({ status, plan }: LaunchRecord, { outcome, atEpochMs }: Ending): Hold | undefined {
  const { holdFailedSeconds } = plan ?? {};
  const isFailedLaunch = status === 'launching' && outcome === 'failed';
  return isFailedLaunch && holdFailedSeconds !== undefined
    ? { untilEpochMs: atEpochMs + holdFailedSeconds * 1000 }
    : undefined;
}

function released(record: LaunchRecord & { hold: Hold }, releasedAtEpochMs: number): LaunchRecord {
  return { ...record, hold: { ...record.hold, releasedAtEpochMs } };
}

/** Stores the diagnostics of a `cleaning` launch; the first ones stay. */
export function noteDiagnostics(diagnostics: Diagnostics): LaunchTransition {
  // Two clean-ups of one launch; the second one reads when the first has begun to delete, and finds less:
  //   A   reads the log ──► deletes ──► kept
  //   B                         reads no log ──► refused
  return changeKnown((record) =>
    record.status === 'cleaning' && record.diagnostics === undefined ? { ...record, diagnostics } : record,
  );
}

/**
 * Claims the next request for a clean-up of a `cleaning` launch, if none was claimed since a moment. Ends a hold whose
 * time is over, so that the clean-up needs no clock to know.
 */
export function claimCleanUp(atEpochMs: number, notSinceEpochMs: number): LaunchTransition {
  // Two sweeps at once; one asks for the clean-up:
  //   A   asked at 09:58? ──► asked at 10:00
  //   B                           asked at 10:00: refused
  return changeKnown((record) => {
    const asked = { cleanUpAskedAtEpochMs: atEpochMs };
    if (isHeld(record) && record.hold.untilEpochMs <= atEpochMs) return { ...released(record, atEpochMs), ...asked };
    const isFree = record.status === 'cleaning' && (record.cleanUpAskedAtEpochMs ?? 0) <= notSinceEpochMs;
    return isFree ? { ...record, ...asked } : record;
  });
}

/** Moves a launch from `cleaning` to its ending's outcome, after everything is gone. */
export function markCleaned(atEpochMs: number, timeline?: Timeline): LaunchTransition {
  return markOver({ cleanedAtEpochMs: atEpochMs, ...present({ timeline }) });
}

/** Moves a launch from `cleaning` to its ending's outcome, although davit has not looked in some clusters. */
export function markLeft(left: LeftBehind): LaunchTransition {
  return markOver({ left });
}

function markOver(noted: Partial<LaunchRecord>): LaunchTransition {
  // Two clean-ups of one launch:
  //   A   cleaning ──► failed at 10:00:00
  //   B                    failed? as it is
  return changeKnown((record) =>
    record.status === 'cleaning' && record.ending !== undefined
      ? { ...record, status: record.ending.outcome, ...noted }
      : record,
  );
}

/**
 * Marks a launch as connected whose agent stands by: no job waits for it, and it has not begun to register.
 *
 * @param timeline how the launch came to its token. @default the record keeps its timeline
 */
export function standBy(agentName: string, atEpochMs: number, timeline?: Timeline): LaunchTransition {
  // An agent asks twice, because an answer is late; its job is taken in between. What it began, it goes on with:
  //   A   its job waits ──► begins, nonce A ──► registers
  //   B                         its job is taken: a registration has begun, refused ──► registers, too
  return changeKnown((record) => {
    const isFree = record.standby === undefined && record.registration === undefined;
    if (!isJoinable(record, agentName) || !isFree || record.plan?.join?.standsBy !== true) return record;
    const { signal: _signal, ...kept } = record;
    const connected = {
      status: 'connected',
      connectedAtEpochMs: atEpochMs,
      standby: { sinceEpochMs: atEpochMs },
    } as const;
    return { ...kept, ...connected, ...present({ timeline }) };
  });
}

/** Notes that an agent that stands by, or was summoned, asks with a credential that was renewed this often. */
export function noteRenewal(agentName: string, renewals: number): LaunchTransition {
  // An answer with a new credential is lost, so the agent asks with the old one; then both requests arrive:
  //   A   asks with 3 ──────────────────────► 3 < 4: no longer accepted
  //   B                   asks with 4 ──► 4
  return changeKnown((record) => {
    const { standby } = record;
    const isNews = isJoinable(record, agentName) && renewals > (standby?.renewals ?? 0);
    return standby !== undefined && isNews ? { ...record, standby: { ...standby, renewals } } : record;
  });
}

/** Summons an agent that stands by: its next look begins its registration. The first summons stays. */
export function summon(jobKey: string, atEpochMs: number): LaunchTransition {
  // Two jobs are queued at once, and summon the oldest agent. One gets it, the other takes the next one:
  //   job 8   stands by ──► summoned for 8
  //   job 9                     summoned already: refused ──► the next agent
  return changeKnown((record) => {
    const { standby } = record;
    if (!isStandingBy(record) || standby === undefined) return record;
    return { ...record, standby: { ...standby, summons: { jobKey, atEpochMs } } };
  });
}

/** Begins a registration: its nonce replaces an earlier one's, unless that was asked for later. */
export function beginRegistration(
  agentName: string,
  nonce: string,
  askedAtEpochMs: number,
  timeline?: Timeline,
): LaunchTransition {
  // An agent asks twice, because an answer is late. The later nonce completes:
  //   A   nonce A ─────────────────────────────────────────► completes? nonce B: refused
  //   B               another, nonce B ──────► completes
  // A is held up until B is answered. It must not take out the runner that the agent is at work with:
  //   A   ────────────────────────────────────────────────► asked before B: late, refused
  //   B   nonce B ──► completes with 7 ──► 200
  // Nor may a second run of one request, which was asked at the same moment.
  // An agent that stands by has no job to register for.
  return changeKnown((record) => {
    const { registration } = record;
    const isLate = registration !== undefined && registration.begunAtEpochMs >= askedAtEpochMs;
    const isFree = isJoinable(record, agentName) && !isStandingBy(record);
    if (!isFree || isLate || registration?.nonce === nonce) return record;
    const count = (registration?.count ?? 0) + 1;
    const begun = { nonce, begunAtEpochMs: askedAtEpochMs, count, ...present({ isTaken: registration?.isTaken }) };
    return { ...record, registration: begun, ...present({ timeline }) };
  });
}

/** Takes over a registration: the taker's own nonce replaces the one that it was begun with. */
export function takeRegistration(agentName: string, nonce: string, ownNonce: string): LaunchTransition {
  // register-runner runs twice for one question:
  //   A   takes: nonce A ──► registers 7 ──► completes with 7
  //   B                  takes? nonce A: refused
  return changeKnown((record) => {
    const { registration } = record;
    if (!isJoinable(record, agentName) || registration?.nonce !== nonce) return record;
    return { ...record, registration: { ...registration, nonce: ownNonce, isTaken: true } };
  });
}

/** Stores the runner of a registration and marks the launch as connected; the first moment of connecting stays. */
export function completeRegistration(
  agentName: string,
  nonce: string,
  runner: CiRunner,
  atEpochMs: number,
): LaunchTransition {
  // A launch that is retired, or ended, while its agent registers. The first write refuses the other, or shows the other
  // which runner it must remove:
  //   agent    begins ──► registers 7 ──► completes ──► 200          begins ──► registers 7 ──► refused ──► removes 7
  //   retire                                   reads runner 7 ──► removes it        marks ──► reads no runner
  // davit never overwrites a runner that may still be in the CI system, because nothing else would remove it.
  return changeKnown((record) => {
    const { deregisteredAtEpochMs, signal: _signal, registration, ...kept } = record;
    const mayHold =
      record.runner === undefined || record.runner.id === runner.id || deregisteredAtEpochMs !== undefined;
    if (!isJoinable(record, agentName) || registration?.nonce !== nonce || !mayHold) return record;
    const connectedAtEpochMs = record.connectedAtEpochMs ?? atEpochMs;
    const completed: LaunchRecord = {
      ...kept,
      status: 'connected',
      connectedAtEpochMs,
      registration: { ...registration, isComplete: true },
      runner,
    };
    return isDeepStrictEqual(completed, record) ? record : completed;
  });
}

/** Says whether a registration of an agent has completed with this runner. */
export function hasCompleted(record: LaunchRecord | undefined, agentName: string, nonce: string, runner: CiRunner) {
  return isJoinable(record, agentName) && record?.registration?.nonce === nonce && record.runner?.id === runner.id;
}

/**
 * Says whether a launch's agent is registered as the runner of a job. Ids are unique in one CI system only, and a runner
 * takes jobs of its scope only.
 */
export function hasRunner(record: LaunchRecord | undefined, { ciSystem, id, repository }: RunnerOfJob): boolean {
  const join = record?.plan?.join;
  if (join === undefined || join.ciSystem !== ciSystem || record?.runner?.id !== id) return false;
  return isInScope(join.scope, repository);
}

/** Writes which job the agent runs, once, and how it ended, once; for a launch that is over, too. */
export function bindJob(by: RunnerOfJob, { end: ended, ...run }: BoundJob, atEpochMs: number): LaunchTransition {
  // Two jobs claim one runner; the first stays:
  //   in_progress of 8   runs nothing ──► runs 8
  //   in_progress of 9                        refused: runs 8
  return changeKnown((record) => {
    const { runs, ran } = record;
    const isOther = runs !== undefined && runs.jobKey !== run.jobKey;
    const isKnown = runs !== undefined && (ended === undefined || ran !== undefined);
    if (!hasRunner(record, by) || isOther || isKnown) return record;
    return { ...record, runs: runs ?? { ...run, sinceEpochMs: atEpochMs }, ...present({ ran: ran ?? ended }) };
  });
}

/** Marks a live launch that runs nothing as retiring: from then on no registration begins or completes. */
export function markRetiring(reason: string, atEpochMs: number): LaunchTransition {
  // The CI system gives a job to an agent that davit is retiring. Either order leaves the agent alone:
  //   in_progress   runs 8                                             runs 8, whatever else
  //   retire            runs something: refused, left alone    marked ──► looks again: runs 8, left alone
  return changeKnown((record) => {
    const isRetirable = isLive(record) && record.runs === undefined && record.retiring === undefined;
    return isRetirable ? { ...record, retiring: { reason, sinceEpochMs: atEpochMs } } : record;
  });
}

/** Notes that the runner with this id is out of the CI system; the first moment stays. */
export function noteDeregistered(runnerId: number, atEpochMs: number): LaunchTransition {
  // The agent registers again before davit notes the removal of its earlier runner:
  //   register   removes 7, noted ──► completes with 9
  //   sweep          removes 7 ───────────────────────► noted of 7? the runner is 9: refused
  return changeKnown((record) => {
    const isNews = record.runner?.id === runnerId && record.deregisteredAtEpochMs === undefined;
    return isNews ? { ...record, deregisteredAtEpochMs: atEpochMs } : record;
  });
}

/** Says whether this is the agent of a launch that has connected without a CI system. */
export function isConnectedAlone(record: LaunchRecord | undefined, agentName: string): boolean {
  return record?.status === 'connected' && isPresentAgent(record, agentName) && record.plan?.join === undefined;
}

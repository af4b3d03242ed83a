import { isoTime } from '../../core/epoch-ms.ts';
import { errorCodes, isErrorCode } from '../../core/errors/error-codes.ts';
import type { JobSummary } from '../../core/job/job-summary.ts';
import {
  type Ending,
  type Generation,
  isHeld,
  type JobRun,
  type LaunchRecord,
  type PodState,
  type Signal,
  type Standby,
} from '../../core/launch/launch-record.ts';
import type { LaunchPlan } from '../../core/launch/launch-state.ts';
import { agentNameOf } from '../../core/launch/names.ts';
import type { Timeline } from '../../core/launch/timeline.ts';
import { type Waiting, waitingOf } from '../../core/launch/waiting.ts';
import type { Diagnostics } from '../../core/pod/diagnostics.ts';
import { present } from '../../core/present.ts';
import type {
  CleaningView,
  DiagnosticsView,
  EndingView,
  GenerationView,
  HoldView,
  JobRunView,
  JobView,
  LaunchView,
  PlanView,
  PodStateView,
  SignalView,
  StandbyView,
  TimelineView,
  WaitingView,
} from './launch-view-schema.ts';

/**
 * Builds the view of a launch for people: times in ISO 8601, the meaning of an error code with advice, and the reason for
 * each relaunch. Shows only the names of environment variables. Leaves out fields without a value.
 */
export function launchView(record: LaunchRecord, nowEpochMs: number): LaunchView {
  const { launchId, status, plan } = record;
  return present({
    launchId,
    agentName: plan?.agentName ?? agentNameOf(launchId),
    status,
    requestedAt: isoTime(record.requestedAtEpochMs),
    timeline: plan && ifThere(record.timeline, (timeline) => timelineView(plan.startedAtEpochMs, timeline)),
    connectedAt: ifThere(record.connectedAtEpochMs, isoTime),
    standby: ifThere(record.standby, standbyView),
    job: ifThere(record.runs, (runs) => jobRunView(record, runs)),
    signal: ifThere(record.signal, (signal) => signalView(signal, nowEpochMs)),
    waiting: ifThere(waitingOf(record), waitingView),
    podState: status === 'launching' ? ifThere(record.podState, podStateView) : undefined,
    ending: ifThere(record.ending, endingView),
    hold: holdView(record),
    cleaning: status === 'cleaning' ? cleaningView(record, nowEpochMs) : undefined,
    diagnostics: ifThere(record.diagnostics, diagnosticsView),
    cleanedAt: ifThere(record.cleanedAtEpochMs, isoTime),
    left: ifThere(record.left, ({ clusters, atEpochMs }) => ({ clusters, at: isoTime(atEpochMs) })),
    plan: ifThere(plan, planView),
    generations: generationViews(record),
    labels: record.labels,
    envNames: record.env && Object.keys(record.env),
    forgottenAt: isoTime(record.expiresAtEpochSeconds * 1000),
  });
}

function planView({
  launchId: _launchId,
  agentName: _agentName,
  requestedAtEpochMs: _at,
  startedAtEpochMs,
  job,
  ...plan
}: LaunchPlan): PlanView {
  return present({ ...plan, job: ifThere(job, jobView), startedAt: isoTime(startedAtEpochMs) });
}

/** The job that the agent runs or ran. If the CI system sent no time of its start, uses davit's own time. */
function jobRunView({ plan, runner, ran }: LaunchRecord, { jobKey, job, url, sinceEpochMs }: JobRun): JobRunView {
  return present({
    jobKey,
    ...(job && jobView(job)),
    url,
    startedAt: isoTime(job?.startedAtEpochMs ?? sinceEpochMs),
    agentName: plan?.agentName,
    runner: runner?.name,
    finishedAt: ifThere(ran?.atEpochMs, isoTime),
    conclusion: ran?.conclusion,
  });
}

function jobView({ queuedAtEpochMs, startedAtEpochMs, ...job }: JobSummary): JobView {
  return present({
    ...job,
    queuedAt: ifThere(queuedAtEpochMs, isoTime),
    startedAt: ifThere(startedAtEpochMs, isoTime),
  });
}

function diagnosticsView({ atEpochMs, events, ...rest }: Diagnostics): DiagnosticsView {
  const seen = events.map(({ lastSeenAtEpochMs, ...event }) =>
    present({ ...event, lastSeenAt: ifThere(lastSeenAtEpochMs, isoTime) }),
  );
  return { at: isoTime(atEpochMs), events: seen, ...rest };
}

/** Each generation begins when the one before it ends, and the first one with the request. */
function generationViews({ generations, requestedAtEpochMs }: LaunchRecord): GenerationView[] | undefined {
  return generations?.map((generation, index) =>
    generationView(generations[index - 1]?.endedAtEpochMs ?? requestedAtEpochMs, generation),
  );
}

function generationView(
  startedAtEpochMs: number,
  { endedAtEpochMs, timeline, ...generation }: Generation,
): GenerationView {
  return present({
    ...generation,
    ...explanationOf(generation.code),
    timeline: ifThere(timeline, (known) => timelineView(startedAtEpochMs, known)),
    endedAt: isoTime(endedAtEpochMs),
  });
}

function timelineView(startedAtEpochMs: number, timeline: Timeline): TimelineView {
  const at = (sinceStartMs: number | undefined) => ifThere(sinceStartMs, (ms) => isoTime(startedAtEpochMs + ms));
  return present({
    startedAt: isoTime(startedAtEpochMs),
    serviceAt: at(timeline.serviceMs),
    portAt: at(timeline.portMs),
    podAt: at(timeline.podMs),
    scheduledAt: at(timeline.scheduledMs),
    containersAt: at(timeline.containersMs),
    hostAt: at(timeline.hostMs),
    tokenAt: at(timeline.tokenMs),
  });
}

/** Builds the view of what keeps a launch waiting. */
export function signalView({ sinceEpochMs, ...signal }: Signal, nowEpochMs: number): SignalView {
  return { ...signal, since: isoTime(sinceEpochMs), forSeconds: secondsSince(sinceEpochMs, nowEpochMs) };
}

function waitingView({ sinceEpochMs, untilEpochMs, ...waiting }: Waiting): WaitingView {
  return { ...waiting, since: isoTime(sinceEpochMs), givesUpAt: isoTime(untilEpochMs) };
}

function standbyView({ sinceEpochMs, summons }: Standby): StandbyView {
  return present({
    since: isoTime(sinceEpochMs),
    summonedAt: ifThere(summons?.atEpochMs, isoTime),
    summonedFor: summons?.jobKey,
  });
}

function podStateView({ atEpochMs, ...state }: PodState): PodStateView {
  return { ...state, at: isoTime(atEpochMs) };
}

function endingView({ atEpochMs, ...ending }: Ending): EndingView {
  return { ...ending, ...explanationOf(ending.code), at: isoTime(atEpochMs) };
}

/** When the clean-up of a launch began, and when a sweep last repeated the request. */
function cleaningView(record: LaunchRecord, nowEpochMs: number): CleaningView | undefined {
  const { ending, cleanUpAskedAtEpochMs } = record;
  if (ending === undefined) return undefined;
  return present({
    because: ending.message,
    since: isoTime(ending.atEpochMs),
    forSeconds: secondsSince(ending.atEpochMs, nowEpochMs),
    askedAgainAt: ifThere(cleanUpAskedAtEpochMs, isoTime),
  });
}

/** A launch that is over without an end of its hold had no Pod to hold. */
function holdView(record: LaunchRecord): HoldView | undefined {
  const { hold } = record;
  if (hold === undefined || (hold.releasedAtEpochMs === undefined && !isHeld(record))) return undefined;
  return present({ until: isoTime(hold.untilEpochMs), endedAt: ifThere(hold.releasedAtEpochMs, isoTime) });
}

function secondsSince(epochMs: number, nowEpochMs: number): number {
  return Math.max(0, Math.round((nowEpochMs - epochMs) / 1000));
}

function explanationOf(code: string): { means?: string; advice?: string } {
  if (!isErrorCode(code)) return {};
  const { means, advice } = errorCodes[code];
  return { means, advice };
}

function ifThere<Value, Shown>(value: Value | undefined, show: (value: Value) => Shown): Shown | undefined {
  return value === undefined ? undefined : show(value);
}

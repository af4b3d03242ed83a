import { durationWords } from './duration.ts';
import { isOver, type PhaseName, phasesOf } from './phases.ts';
import type { Launch } from './timeline.ts';
import { standsBy } from './warm.ts';

/** The parts of a launch's time that a person tells apart at a glance. */
export type Part = 'queued' | 'prepares' | 'starts' | 'idle' | 'runs' | 'trouble' | 'held' | 'cleans';

/** The name of each part, for the legend. */
export const partWords: Readonly<Record<Part, string>> = {
  queued: 'the job is queued',
  prepares: 'davit and the cluster prepare the Pod',
  starts: 'the agent starts',
  idle: 'the agent is connected',
  runs: 'the job runs',
  trouble: 'trouble',
  held: 'the Pod is held',
  cleans: 'clean-up',
};

/** A bar of a lane, as shares of the axis, from 0 (its beginning) to 1 (now). */
export interface Bar {
  part: Part;
  from: number;
  to: number;
}

/** One launch on the axis. */
export interface Lane {
  launch: Launch;
  bars: Bar[];
  /** Whether the launch began before the axis does. */
  isCut: boolean;
}

/** A common time axis that ends now. */
export interface Axis {
  lengthMs: number;
  /** The times before now that are marked, oldest first, in milliseconds. */
  ticksMs: number[];
}

const minuteMs = 60_000;
const axes = [2, 5, 15, 60, 240, 1440].map((minutes) => minutes * minuteMs);
const parts = 4;

/** Chooses the shortest axis on which most of the launches began. */
export function axisOf(launches: readonly Launch[], nowEpochMs: number): Axis {
  const ages = launches.map((launch) => nowEpochMs - beginOf(launch)).toSorted((one, other) => one - other);
  const most = ages[Math.floor((ages.length - 1) * 0.8)] ?? 0;
  const lengthMs = axes.find((length) => length >= most) ?? axes.at(-1) ?? most;
  return { lengthMs, ticksMs: Array.from({ length: parts }, (_none, index) => lengthMs * (1 - index / parts)) };
}

function beginOf(launch: Launch): number {
  return Date.parse(launch.plan?.job?.queuedAt ?? launch.requestedAt);
}

/** Places launches on an axis. A very short part keeps a share that can be seen. */
export function lanesOf(launches: readonly Launch[], { lengthMs }: Axis, nowEpochMs: number): Lane[] {
  const beginEpochMs = nowEpochMs - lengthMs;
  const share = (epochMs: number) => Math.min(1, Math.max(0, (epochMs - beginEpochMs) / lengthMs));
  return launches.map((launch) => {
    const phases = phasesOf(launch, nowEpochMs).filter(({ toEpochMs }) => toEpochMs > beginEpochMs);
    const last = phases.findLastIndex(({ name }) => name !== 'cleaning' && name !== 'held');
    const bars = phases.map(({ name, fromEpochMs, toEpochMs }, index) => ({
      part: index === last && isInTrouble(launch) ? 'trouble' : partOf[name],
      from: share(fromEpochMs),
      to: share(toEpochMs),
    }));
    return { launch, bars: joined(bars), isCut: beginOf(launch) < beginEpochMs };
  });
}

function isInTrouble(launch: Launch): boolean {
  return launch.ending?.outcome === 'failed' || (!isOver(launch) && launch.signal !== undefined);
}

/** Says in a few words how a launch goes, or how it ended. */
export function stateWords(launch: Launch, nowEpochMs: number): string {
  const { status, ending, signal, job, standby, connectedAt, requestedAt } = launch;
  const since = (at: string, until = nowEpochMs) => durationWords(until - Date.parse(at));
  if (ending?.outcome === 'failed') return ending.code;
  if (job?.finishedAt !== undefined) {
    return `${job.conclusion ?? 'done'} in ${since(job.startedAt, Date.parse(job.finishedAt))}`;
  }
  if (status === 'terminated' || status === 'cleaning') return 'ended';
  if (signal !== undefined) return `${signal.code}, ${since(signal.since)}`;
  if (job !== undefined) return `runs, ${since(job.startedAt)}`;
  if (standby !== undefined && standsBy(launch)) return `stands by, ${since(standby.since)}`;
  return connectedAt === undefined ? `starts, ${since(requestedAt)}` : `connected, ${since(connectedAt)}`;
}

function joined(bars: readonly Bar[]): Bar[] {
  const all: Bar[] = [];
  for (const bar of bars) {
    const before = all.at(-1);
    if (before?.part === bar.part) before.to = bar.to;
    else all.push({ ...bar });
  }
  return all;
}

const partOf: Readonly<Record<PhaseName, Part>> = {
  queued: 'queued',
  earlier: 'trouble',
  starting: 'prepares',
  service: 'prepares',
  port: 'prepares',
  pod: 'prepares',
  scheduled: 'prepares',
  host: 'prepares',
  token: 'prepares',
  containers: 'starts',
  connecting: 'starts',
  idle: 'idle',
  running: 'runs',
  leaving: 'cleans',
  held: 'held',
  cleaning: 'cleans',
};

import type { Finding } from '../finding.ts';
import { checkExecutions } from './check-executions.ts';
import { checkJobs } from './check-jobs.ts';
import { checkLimits } from './check-limits.ts';
import { checkMoves } from './check-moves.ts';
import { checkRunners } from './check-runners.ts';
import { checkWaiting } from './check-waiting.ts';
import { checkWarm } from './check-warm.ts';
import { historiesOf, lostWrites } from './histories.ts';
import { checkJob } from './job-steps.ts';
import { checkLaunch } from './launch-steps.ts';
import type { NumberedLine, RecordHistory } from './step.ts';
import { isOver } from './timeline.ts';

/** How a trace is judged. */
export interface TraceOptions {
  /** How far the clocks of the functions may differ, plus the time from a write to its line, in milliseconds. @default 0 */
  skewMs?: number;
  /** Whether everything had come to rest at the trace's end. @default false */
  isAtRest?: boolean;
  /** Whether no function died or stood still: then each function finishes what it began. @default false */
  isUndisturbed?: boolean;
}

/** What a trace was found to have. */
export interface TraceVerdict {
  /** How many records of each kind it has, and how many writes. */
  launches: number;
  jobs: number;
  limits: number;
  clusters: number;
  runners: number;
  writes: number;
  /** How many writes are missing, by the revisions. */
  missing: number;
  /** Sorted by line. */
  findings: Finding[];
}

/**
 * Checks a trace against the protocol: each step of a launch and of a job is one that the protocol has, in an order that
 * some interleaving of the functions makes; and the rules about several records held. Shares only names with the code that
 * wrote the trace.
 */
export function verifyTrace(
  lines: readonly NumberedLine[],
  { skewMs = 0, isAtRest = false, isUndisturbed = false }: TraceOptions = {},
): TraceVerdict {
  const histories = historiesOf(lines);
  const { launches, jobs, limits, clusters, runners } = histories;
  const findings = [
    ...lostWrites(histories),
    ...[...launches.values()].flatMap(checkLaunch),
    ...[...jobs.values()].flatMap(checkJob),
    ...checkJobs(histories, skewMs),
    ...checkLimits(histories, skewMs, isUndisturbed),
    ...checkRunners(histories, skewMs),
    ...checkMoves(histories, skewMs),
    ...checkExecutions(histories, skewMs),
    ...checkWarm(histories),
    ...(isUndisturbed ? checkWaiting(histories) : []),
    ...(isAtRest ? unfinished([...launches.values()]) : []),
  ];
  return {
    launches: launches.size,
    jobs: jobs.size,
    limits: limits.size,
    clusters: clusters.size,
    runners: runners.size,
    writes: lines.length,
    missing: [...launches.values()].reduce((sum, launch) => sum + missingOf(launch), 0),
    findings: findings.toSorted((one, other) => one.line - other.line),
  };
}

function missingOf({ steps }: RecordHistory<'launch'>): number {
  return steps.reduce((sum, { written }, index) => {
    const before = steps[index - 1]?.written.revision;
    return before === undefined || written.command === 'request'
      ? sum
      : sum + Math.max(0, written.revision - before - 1);
  }, 0);
}

/** At rest, each launch is over or connected: `every launch ends`. */
function unfinished(launches: readonly RecordHistory<'launch'>[]): Finding[] {
  return launches.flatMap(({ key, steps }) => {
    const last = steps.at(-1);
    if (last === undefined || last.written.fields.status === 'connected' || isOver(last.written.fields)) return [];
    const seen = `it is ${last.written.fields.status}`;
    return [{ subject: `launch ${key}`, rule: 'at rest each launch is connected, or is over', seen, line: last.line }];
  });
}

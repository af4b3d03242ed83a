import { isDeepStrictEqual } from 'node:util';
import type { Written } from '../../core/trace/written.ts';
import type { Finding } from '../finding.ts';
import type { NumberedLine, RecordHistory, Step } from './step.ts';

type Kind = Written['kind'];

/** Everything in a trace, by record. */
export interface Histories {
  launches: ReadonlyMap<string, RecordHistory<'launch'>>;
  jobs: ReadonlyMap<string, RecordHistory<'job'>>;
  limits: ReadonlyMap<string, RecordHistory<'limit'>>;
  clusters: ReadonlyMap<string, RecordHistory<'cluster'>>;
  /** A CI system's answers about a runner, in the order of the file. */
  runners: ReadonlyMap<string, RecordHistory<'runner'>>;
  /** The starts of executions that are traced. */
  executions: ReadonlyMap<string, RecordHistory<'execution'>>;
  beganAtEpochMs: number;
  endedAtEpochMs: number;
}

/** What leads to a step takes less than a minute. */
const leadMs = 60_000;

/** Says whether what led to a moment may have happened before the trace begins. */
export function mayHaveBegunBefore({ beganAtEpochMs }: Histories, atEpochMs: number): boolean {
  return atEpochMs - beganAtEpochMs < leadMs;
}

/**
 * Sorts a trace by record, and each record's writes by their revisions: logs of several functions come in any order. A line
 * that came twice counts once.
 */
export function historiesOf(lines: readonly NumberedLine[]): Histories {
  const times = lines.map(({ atEpochMs }) => atEpochMs);
  return {
    launches: ofKind(lines, 'launch'),
    jobs: ofKind(lines, 'job'),
    limits: ofKind(lines, 'limit'),
    clusters: ofKind(lines, 'cluster'),
    runners: ofKind(lines, 'runner'),
    executions: ofKind(lines, 'execution'),
    beganAtEpochMs: times.reduce((first, time) => Math.min(first, time), Infinity),
    endedAtEpochMs: times.reduce((last, time) => Math.max(last, time), 0),
  };
}

function isOf<Wanted extends Kind>(line: NumberedLine, kind: Wanted): line is Step<Wanted> {
  return line.written.kind === kind;
}

function ofKind<Wanted extends Kind>(
  lines: readonly NumberedLine[],
  kind: Wanted,
): ReadonlyMap<string, RecordHistory<Wanted>> {
  const byKey = Map.groupBy(
    lines.filter((line) => isOf(line, kind)),
    ({ written }) => written.key,
  );
  return new Map([...byKey].map(([key, steps]) => [key, { key, steps: inOrder(steps) }]));
}

function revisionOf({ written }: NumberedLine): number {
  return 'revision' in written ? written.revision : 0;
}

function inOrder<Wanted extends Kind>(steps: readonly Step<Wanted>[]): Step<Wanted>[] {
  const isRepeat = ({ written }: Step<Wanted>, index: number, sorted: readonly Step<Wanted>[]) =>
    'revision' in written && isDeepStrictEqual(written, sorted[index - 1]?.written);
  return steps
    .toSorted((one, other) => revisionOf(one) - revisionOf(other))
    .filter((step, index, sorted) => !isRepeat(step, index, sorted));
}

/** Finds two writes of one record with one revision: each was made from the record before it, and one is lost. */
export function lostWrites({ launches, jobs, limits, clusters }: Histories): Finding[] {
  return [...launches.values(), ...jobs.values(), ...limits.values(), ...clusters.values()].flatMap(({ steps }) =>
    steps.flatMap((step, index) => {
      const before = steps[index - 1];
      if (before === undefined || revisionOf(before) !== revisionOf(step)) return [];
      const { kind, key, command } = step.written;
      const seen = `revision ${revisionOf(step)} was written by ${before.written.command} and by ${command}`;
      return [{ subject: `${kind} ${key}`, rule: 'each revision of a record is written once', seen, line: step.line }];
    }),
  );
}

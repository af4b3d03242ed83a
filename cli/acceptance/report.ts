import { durationWords, exactDurationWords } from '../view/duration.ts';
import type { ScenarioResult } from './scenario.ts';

/** What a report says of the place: versions, and no names. */
export interface Versions {
  davit: string;
  /** The CI system and its version: `Gitea 1.26.0`. */
  ci: string;
  /** The server's version; undefined when the caller names no cluster, or may not ask. */
  kubernetes: string | undefined;
  node: string;
}

/** The judgement of davit's trace. */
export interface TraceResult {
  verdict: ScenarioResult['verdict'];
  /** What did not hold, or what a check needs; without names. */
  why: readonly string[];
  /** Writes of records. */
  writes: number;
}

/** An acceptance, as its report shows it. */
export interface AcceptanceReport {
  versions: Versions;
  /** ISO 8601, the day only. */
  day: string;
  results: readonly ScenarioResult[];
  trace: TraceResult;
}

/** Writes the report of an acceptance in Markdown. It has no name, URL, label or secret of the caller's. */
export function reportText({ versions, day, results, trace }: AcceptanceReport): string {
  const all: TraceRow[] = [...results, traceRow(trace)];
  return [
    '# davit acceptance',
    '',
    '| | |',
    '|---|---|',
    `| davit | ${versions.davit} |`,
    `| CI system | ${versions.ci} |`,
    `| Kubernetes | ${versions.kubernetes ?? 'not known'} |`,
    `| Node.js | ${versions.node} |`,
    `| day | ${day} |`,
    '',
    '| scenario | verdict | jobs | ran | cancelled | queued to running, p50 | p99 | took |',
    '|---|---|---|---|---|---|---|---|',
    ...results.map(rowOf),
    `| trace | ${trace.verdict} | | | | | | |`,
    '',
    ...all.flatMap(({ name, verdict, why }) => why.map((each) => `- \`${name}\`, ${verdict}: ${each}`)),
    ...(all.every(({ why }) => why.length === 0) ? [] : ['']),
    `The trace has ${trace.writes} writes. The times are the CI system's own: a Gitea keeps whole seconds.`,
    '',
  ].join('\n');
}

type TraceRow = Pick<ScenarioResult, 'name' | 'verdict'> & Pick<TraceResult, 'why'>;

function traceRow({ verdict, why }: TraceResult): TraceRow {
  return { name: 'trace', verdict, why };
}

function rowOf({ name, verdict, jobs, ran, cancelled, waitsMs, tookMs }: ScenarioResult): string {
  const counts = jobs === 0 ? ['', '', ''] : [jobs, ran, cancelled];
  const waits = [quantile(waitsMs, 0.5), quantile(waitsMs, 0.99)].map((ms) =>
    ms === undefined ? '' : exactDurationWords(ms),
  );
  const cells = [name, verdict, ...counts, ...waits, verdict === 'not-run' ? '' : durationWords(tookMs)];
  return `| ${cells.join(' | ')} |`;
}

/** Finds a quantile by the nearest rank. @param share from 0 to 1 @returns undefined for no values */
export function quantile(values: readonly number[], share: number): number | undefined {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)];
}

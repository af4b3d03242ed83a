import type { Violation } from './invariants/invariants.ts';
import type { Run } from './run-seed.ts';

/** A seed whose run broke an invariant. */
export interface Broken {
  seed: number;
  violations: Violation[];
}

/** The results of many runs, as plain data that can go from one thread to another. */
export interface Tally {
  runs: number;
  launches: number;
  /** The number of events. */
  events: number;
  /** How often each kind of fault hit. */
  faults: Map<string, number>;
  /** How many launches reached each status. */
  statuses: Map<string, number>;
  /** How many launches ended with each code. */
  endings: Map<string, number>;
  /** How many generations began after the first. */
  relaunches: number;
  broken: Broken[];
}

/** Makes the tally of no runs. */
export function emptyTally(): Tally {
  return {
    runs: 0,
    launches: 0,
    events: 0,
    faults: new Map(),
    statuses: new Map(),
    endings: new Map(),
    relaunches: 0,
    broken: [],
  };
}

/** Adds one run and its violations to a tally. */
export function addRun(tally: Tally, run: Run, violations: Violation[]): void {
  tally.runs += 1;
  tally.launches += run.launches;
  tally.events += run.history.length;
  for (const event of run.history) {
    if (event.kind === 'fault') count(tally.faults, event.fault);
    if (event.kind !== 'recorded') continue;
    count(tally.statuses, event.to);
    if (event.from !== 'cleaning' && event.ending !== undefined) count(tally.endings, event.ending.code);
  }
  for (const { generations = [] } of run.world.launches.latest()) tally.relaunches += generations.length;
  if (violations.length > 0) tally.broken.push({ seed: run.seed, violations });
}

/** Adds one tally to another. */
export function addTally(tally: Tally, other: Tally): void {
  tally.runs += other.runs;
  tally.launches += other.launches;
  tally.events += other.events;
  tally.relaunches += other.relaunches;
  for (const counts of ['faults', 'statuses', 'endings'] as const) {
    for (const [key, times] of other[counts]) count(tally[counts], key, times);
  }
  tally.broken.push(...other.broken);
}

function count(counts: Map<string, number>, key: string, times = 1): void {
  counts.set(key, (counts.get(key) ?? 0) + times);
}

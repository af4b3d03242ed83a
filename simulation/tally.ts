import * as z from 'zod';
import type { Violation } from './invariants/invariants.ts';
import type { Run } from './run-seed.ts';

const Counts = z.codec(z.record(z.string(), z.int()), z.map(z.string(), z.int()), {
  decode: (counts) => new Map(Object.entries(counts)),
  encode: (counts) => Object.fromEntries([...counts].toSorted(([one], [other]) => (one < other ? -1 : 1))),
});

const Broken = z.object({
  seed: z.int(),
  violations: z.array(z.object({ invariant: z.string(), detail: z.string() })),
});
/** A seed whose run broke an invariant. */
export type Broken = z.infer<typeof Broken>;

/** The results of many runs, as plain data that can go from one thread to another, and into a file. */
export const Tally = z.object({
  runs: z.int(),
  launches: z.int(),
  events: z.int(),
  /** How many generations began after the first. */
  relaunches: z.int(),
  /** How often each kind of fault hit. */
  faults: Counts,
  /** How many launches reached each status. */
  statuses: Counts,
  /** How many launches ended with each code. */
  endings: Counts,
  broken: z.array(Broken),
});
export type Tally = z.infer<typeof Tally>;

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

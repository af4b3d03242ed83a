import { readFileSync } from 'node:fs';
import * as z from 'zod';
import { faultNames, systemNames } from './faults.ts';

/** A median and a 99th percentile, in milliseconds. */
export const Quantiles = z.object({ p50: z.int(), p99: z.int() });
export type Quantiles = z.infer<typeof Quantiles>;

/** The sections of a launch. */
export const Sections = z.object({
  requestToPod: Quantiles,
  podToRunning: Quantiles,
  runningToConnected: Quantiles,
  requestToConnected: Quantiles,
});
export type Sections = z.infer<typeof Sections>;

/** The result of one fault on one system. */
export const PeerCell = z.object({
  fault: z.enum(faultNames),
  system: z.enum(systemNames),
  takenAt: z.iso.datetime(),
  /** Of the system, and of what runs it. */
  versions: z.string(),
  jobs: z.int(),
  /** How many jobs were requested at once. */
  atOnce: z.int(),
  completed: z.int(),
  lost: z.int(),
  stuck: z.int(),
  runTwice: z.int(),
  begunAgain: z.int(),
  podsLeft: z.int(),
  /** Absent if no job began. */
  took: Sections.optional(),
  cpuSeconds: z.number(),
  peakMebibytes: z.int(),
  /** The machine's load average, over a minute, before the first job. */
  load: z.number(),
  processors: z.int(),
  tookSeconds: z.int(),
});
export type PeerCell = z.infer<typeof PeerCell>;

/** The file with the results of `npm run prove -- peers --keep`. */
export const peerCellsFile = new URL('peers.json', import.meta.url);

/** Reads the results. @throws ZodError for a file of another kind */
export function readPeerCells(): PeerCell[] {
  return z.array(PeerCell).parse(JSON.parse(readFileSync(peerCellsFile, 'utf8')));
}

/** Replaces the results of the same faults and systems, and appends the others. */
export function withCells(cells: readonly PeerCell[], added: readonly PeerCell[]): PeerCell[] {
  const isOf = (one: PeerCell) => (other: PeerCell) => one.fault === other.fault && one.system === other.system;
  const replaced = cells.map((cell) => added.find(isOf(cell)) ?? cell);
  return [...replaced, ...added.filter((cell) => !cells.some(isOf(cell)))];
}

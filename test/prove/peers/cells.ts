import { type KeptTable, takenHead } from '../../../scripts/kept-rows.ts';
import { type FaultName, faultNames, type SystemName, systemNames } from './faults.ts';
import type { Counts } from './judge.ts';

/** The result of one fault on one system. */
export interface PeerCell extends Counts {
  fault: FaultName;
  system: SystemName;
  podsLeft: number;
  cpuSeconds: number;
  peakMebibytes: number;
  /** The machine's load average, over a minute, before the first job. */
  load: number;
  tookSeconds: number;
}

/** The table of docs/peers.md: a row for each fault and system. */
export const cellsTable: KeptTable = {
  command: 'npm run prove -- peers --record',
  head: [
    'fault, system',
    'jobs',
    'completed',
    'lost',
    'stuck',
    'run twice',
    'begun again',
    'Pods left',
    'request → connected, s',
    'CPU, s',
    'memory, MiB',
    'load',
    ...takenHead,
  ],
  order: faultNames.flatMap((fault) => systemNames.map((system) => keyOf({ fault, system }))),
};

/** Writes a row: times are p50 / p99. @param taken when, and of which commit */
export function rowOf(cell: PeerCell, taken: readonly string[]): string[] {
  const { jobs, completed, lost, stuck, runTwice, begunAgain, podsLeft, took, cpuSeconds, peakMebibytes, load } = cell;
  const counts = [jobs, completed, lost, stuck, runTwice, begunAgain, podsLeft].map(String);
  const times = took && `${seconds(took.requestToConnected.p50)} / ${seconds(took.requestToConnected.p99)}`;
  const usage = [cpuSeconds.toFixed(1), String(peakMebibytes), load.toFixed(1)];
  return [keyOf(cell), ...counts, times ?? '', ...usage, ...taken];
}

function keyOf({ fault, system }: Pick<PeerCell, 'fault' | 'system'>): string {
  return `\`${fault}\`, ${system}`;
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(ms < 10_000 ? 2 : 1);
}

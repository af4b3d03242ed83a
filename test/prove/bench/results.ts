import { cpus, loadavg } from 'node:os';
import { takenNow } from '../../../scripts/kept-rows.ts';
import type { Figure } from './figure.ts';

/** The results of one measure, with their time and the machine's load. */
export interface Taken {
  measure: string;
  /** ISO 8601. */
  takenAt: string;
  tookSeconds: number;
  /** The machine's load average over one minute, before the measure began and before it ended. */
  load: { before: number; after: number };
  machine: { processors: number; model: string; node: string };
  /** The commit that was measured. */
  commit: string;
  figures: Figure[];
}

/** Takes a measure. @throws any error of the measure */
export async function takeMeasure(measure: string, take: () => Promise<Figure[]>): Promise<Taken> {
  const before = loadNow();
  const startMs = performance.now();
  const figures = await take();
  const tookSeconds = Math.round((performance.now() - startMs) / 1000);
  const machine = { processors: cpus().length, model: cpus()[0]?.model ?? '', node: process.version };
  const load = { before, after: loadNow() };
  const [, commit] = takenNow();
  return { measure, takenAt: new Date().toISOString(), tookSeconds, load, machine, commit, figures };
}

function loadNow(): number {
  return loadavg()[0] ?? 0;
}

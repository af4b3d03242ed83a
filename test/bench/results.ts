import { readFile, writeFile } from 'node:fs/promises';
import { cpus, loadavg } from 'node:os';
import * as z from 'zod';
import { errorCode } from '../../sandbox/node/error-code.ts';
import { Figure } from './figure.ts';

/** The results of one measure, with their time and the machine's load. */
export const Taken = z.strictObject({
  measure: z.string(),
  takenAt: z.iso.datetime(),
  tookSeconds: z.number(),
  /** The machine's load average over one minute, before the measure began and before it ended. */
  load: z.strictObject({ before: z.number(), after: z.number() }),
  machine: z.strictObject({ processors: z.int(), model: z.string(), node: z.string() }),
  figures: z.array(Figure),
});
export type Taken = z.infer<typeof Taken>;

/** The content of results.json: each measure's latest results. */
export const Results = z.strictObject({ taken: z.array(Taken) });
export type Results = z.infer<typeof Results>;

/** Takes a measure. @throws any error of the measure */
export async function takeMeasure(measure: string, take: () => Promise<Figure[]>): Promise<Taken> {
  const before = loadNow();
  const startMs = performance.now();
  const figures = await take();
  const tookSeconds = Math.round((performance.now() - startMs) / 1000);
  const machine = { processors: cpus().length, model: cpus()[0]?.model ?? '', node: process.version };
  const load = { before, after: loadNow() };
  return { measure, takenAt: new Date().toISOString(), tookSeconds, load, machine, figures };
}

/** Replaces the earlier results of the same measures. @param order the measures' names */
export function merge(results: Results, taken: Taken, order: readonly string[]): Results {
  const others = results.taken.filter(({ measure }) => measure !== taken.measure);
  const placeOf = ({ measure }: Taken) => order.indexOf(measure);
  return { taken: [...others, taken].toSorted((one, other) => placeOf(one) - placeOf(other)) };
}

/** Reads earlier results; empty when there is no such file. @throws ZodError for a file of another form */
export async function readResults(file: URL): Promise<Results> {
  try {
    return Results.parse(JSON.parse(await readFile(file, 'utf8')));
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return { taken: [] };
    throw error;
  }
}

/** Writes the results. */
export async function writeResults(file: URL, results: Results): Promise<void> {
  await writeFile(file, `${JSON.stringify(results, null, 2)}\n`);
}

function loadNow(): number {
  return loadavg()[0] ?? 0;
}

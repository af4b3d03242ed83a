import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import * as z from 'zod';
import type { SeedSpan } from './run-seeds.ts';
import { emptyTally, Tally } from './tally.ts';

const KeptRuns = z.object({
  /** The code that ran, as `codeDigest` says it. */
  code: z.string(),
  fromSeed: z.int(),
  /** How many times as many jobs each run had as by its seed. */
  times: z.int().default(1),
  /** How many seeds have run, from the first one on. */
  seeds: z.int(),
  tally: Tally,
});
/** The results so far of a run of many seeds, in a file. */
export type KeptRuns = z.infer<typeof KeptRuns>;

/**
 * Reads the results of a run that was stopped.
 *
 * @param code the digest of the code that is about to run
 * @returns no seeds when there is no such file
 * @throws Error for a file of other code, or of other seeds; ZodError for a file of another kind
 */
export async function openRuns(
  file: string,
  code: string,
  { fromSeed, seeds, times = 1 }: SeedSpan & { times?: number },
): Promise<KeptRuns> {
  const kept = existsSync(file) ? await readRuns(file) : { code, fromSeed, times, seeds: 0, tally: emptyTally() };
  if (kept.code !== code) throw new Error(`${file} is of other code: ${kept.code}`);
  if (kept.times !== times) throw new Error(`${file} has runs with ${kept.times} times as many jobs, not ${times}`);
  if (kept.fromSeed !== fromSeed || kept.seeds > seeds) {
    throw new Error(`${file} has ${kept.seeds} seeds from ${kept.fromSeed} on`);
  }
  return kept;
}

/** Reads the results of a run. @throws ZodError for a file of another kind */
async function readRuns(file: string): Promise<KeptRuns> {
  return z.decode(KeptRuns, JSON.parse(await readFile(file, 'utf8')));
}

/** Writes the results of a run. */
export async function keepRuns(file: string, runs: KeptRuns): Promise<void> {
  await writeFile(file, `${JSON.stringify(z.encode(KeptRuns, runs), undefined, 2)}\n`);
}

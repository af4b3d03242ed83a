import * as z from 'zod';
import { runProcess } from '../../../../scripts/run-process.ts';
import { type Mutant, mutants } from './mutants.ts';

const seed = 20_260_601;
const inputs = 2000;

const Knocked = z.object({ changes: z.number(), detail: z.string().nullable() });

/**
 * Fuzzes each mutant, a davit without one of its checks.
 *
 * @param onMutant called for each mutant, with the reason if the fuzzer missed it
 * @returns the number of missed mutants
 */
export async function findMutants(onMutant: (mutant: Mutant, missedBecause?: string) => void): Promise<number> {
  let missed = 0;
  for (const mutant of mutants) {
    const missedBecause = await whyMissed(mutant);
    if (missedBecause !== undefined) missed++;
    onMutant(mutant, missedBecause);
  }
  return missed;
}

async function whyMissed({ name, file }: Mutant): Promise<string | undefined> {
  const args = ['test/prove/fuzz/mutants/run-mutant.ts', name, `${seed}`, `${inputs}`];
  const { exitCode, output } = await runProcess(process.execPath, args, { cwd: '.' });
  if (exitCode !== 0) return `it does not run: ${output}`;
  const { changes, detail } = Knocked.parse(JSON.parse(output.slice(output.lastIndexOf('{"changes"'))));
  if (changes !== 1) return `its text occurs ${changes} times in ${file}`;
  return detail === null || detail === '' ? `no property was violated in ${inputs} inputs` : undefined;
}

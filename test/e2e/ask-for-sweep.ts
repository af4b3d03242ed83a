import type { SweepInput } from '../../functions/sweep/sweep.ts';
import { SweepReport } from '../../functions/sweep/sweep-report.ts';
import type { TestRuntime } from '../support/start-test-runtime.ts';

/** Runs the sweep function where people do. */
export async function askForSweep(
  { runtime }: Pick<TestRuntime, 'runtime'>,
  input: Partial<SweepInput> = {},
): Promise<SweepReport> {
  const answer = await fetch(runtime.sweepUrl, { method: 'POST', body: JSON.stringify(input) });
  return SweepReport.parse(await answer.json());
}

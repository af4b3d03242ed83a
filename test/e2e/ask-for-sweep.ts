import type { SweepInput } from '../../functions/sweep/sweep.ts';
import { SweepReport } from '../../functions/sweep/sweep-report.ts';
import type { TestRuntime } from '../support/start-test-runtime.ts';

/** Sweeps now, as an operator does. */
export async function askForSweep(
  { runtime }: Pick<TestRuntime, 'runtime'>,
  input: Partial<SweepInput> = {},
): Promise<SweepReport> {
  const { payload } = await runtime.invoke('sweep', input);
  return SweepReport.parse(payload);
}

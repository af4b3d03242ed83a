import type { SweepInput } from '../../functions/sweep/sweep.ts';
import { SweepReport } from '../../functions/sweep/sweep-report.ts';
import { invokeSweep } from '../support/invoke-sweep.ts';
import type { TestRuntime } from '../support/start-test-runtime.ts';

/** Invokes the sweep function by the URL that operators use. */
export async function askForSweep(
  { runtime }: Pick<TestRuntime, 'runtime'>,
  input: Partial<SweepInput> = {},
): Promise<SweepReport> {
  return SweepReport.parse(await invokeSweep(runtime, input));
}

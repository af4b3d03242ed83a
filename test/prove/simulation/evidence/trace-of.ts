import type { Run } from '../../../../simulation/run-seed.ts';
import { interrupting } from '../../../../simulation/world/fault-kinds.ts';
import type { NumberedLine } from '../../../../verify/trace/step.ts';
import { type TraceVerdict, verifyTrace } from '../../../../verify/trace/verify-trace.ts';

/** Writes the trace of a simulated run. */
export function traceOf({ world }: Run): NumberedLine[] {
  const { writes } = world.core.history;
  return writes.map(({ atEpochMs, written }, index) => ({ line: index + 1, atEpochMs, written: written() }));
}

/** Checks the trace of a simulated run, which ends at rest. */
export function verifyRun(run: Run): TraceVerdict {
  const isUndisturbed = !interrupting.some((kind) => run.plan.has(kind));
  return verifyTrace(traceOf(run), { isAtRest: true, isUndisturbed });
}

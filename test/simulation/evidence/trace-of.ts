import type { Run } from '../../../simulation/run-seed.ts';
import type { FaultKind } from '../../../simulation/world/fault-kinds.ts';
import type { NumberedLine } from '../../../verify/trace/step.ts';
import { type TraceVerdict, verifyTrace } from '../../../verify/trace/verify-trace.ts';

/** Faults that interrupt a function, or lose what it was told. */
const disturbing: readonly FaultKind[] = [
  'asyncLate',
  'crashAfterWrite',
  'crashBeforeWrite',
  'invokeAnswerLost',
  'slowStart',
  'stalled',
  'storeAnswerLost',
  'storeThrottled',
];

/** Writes the trace of a simulated run. */
export function traceOf({ world }: Run): NumberedLine[] {
  const { writes } = world.core.history;
  return writes.map(({ atEpochMs, written }, index) => ({ line: index + 1, atEpochMs, written: written() }));
}

/** Checks the trace of a simulated run, which ends at rest. */
export function verifyRun(run: Run): TraceVerdict {
  const isUndisturbed = !disturbing.some((kind) => run.plan.has(kind));
  return verifyTrace(traceOf(run), { isAtRest: true, isUndisturbed });
}

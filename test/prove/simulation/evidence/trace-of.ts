import { tracedExecutions } from '../../../../logic/traces/traced-executions.ts';
import { type Trace, untraced } from '../../../../ports/trace.ts';
import { type Run, runSeed, type Scenario } from '../../../../simulation/run-seed.ts';
import { interrupting } from '../../../../simulation/world/fault-kinds.ts';
import type { NumberedLine } from '../../../../verify/trace/step.ts';
import { type TraceVerdict, verifyTrace } from '../../../../verify/trace/verify-trace.ts';

/** Runs a world whose sweeps trace the executions that they start, as its other functions trace their writes. */
export function runTraced(seed: number, { mutation, ...scenario }: Scenario): Promise<Run> {
  let trace: Trace = untraced;
  return runSeed(seed, {
    ...scenario,
    mutation: {
      deps: (deps, world, invocation) => {
        trace = (written) => world.core.history.trace(() => written);
        return mutation?.deps?.(deps, world, invocation) ?? deps;
      },
      logic: (logic) => {
        const mutated = mutation?.logic?.(logic) ?? logic;
        return {
          ...mutated,
          sweep: (deps, input) => {
            const source = { by: 'sweep', graceSeconds: input.graceSeconds };
            return mutated.sweep({ ...deps, executions: tracedExecutions(deps.executions, source, trace) }, input);
          },
        };
      },
    },
  });
}

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

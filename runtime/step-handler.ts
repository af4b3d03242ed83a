import type { Context } from 'aws-lambda';
import { DavitError, PendingError, TerminalError, TransientError } from '../core/errors/errors.ts';
import * as z from '../core/zod.ts';
import { logger } from './logger.ts';
import { type Metrics, metrics, type Properties } from './metrics/metrics.ts';
import { stepStartedAtEpochMs } from './step-time.ts';

/** A step of the state machine: its input, its output, and its logic. */
export interface Step<Input, Output> {
  /** The state's name in the state machine. */
  name: string;
  Input: z.ZodMiniType<Input>;
  Output: z.ZodMiniType<Output>;
  run: (input: Input) => Promise<Output>;
}

/** The places to which a step reports its attempts. */
export interface StepWatch {
  metrics: Metrics;
  nowEpochMs: () => number;
}

const logKeys = z.object({
  launchId: z.optional(z.string()),
  agentName: z.optional(z.string()),
  cluster: z.optional(z.string()),
  profile: z.optional(z.string()),
  executionArn: z.optional(z.string()),
  traceHeader: z.optional(z.string()),
});

/**
 * Makes the Lambda handler of a step. It checks data on entry and on exit, and logs and counts the result of the attempt.
 *
 * @returns a handler that throws TerminalError InputInvalid for data that is not the step's, and what the step throws
 */
export function stepHandler<Input, Output>(
  step: Step<Input, Output>,
  watch: StepWatch = { metrics, nowEpochMs: Date.now },
): (event: unknown, context?: Context) => Promise<Output> {
  return async (event, context) => {
    const { data: keys = {} } = logKeys.safeParse(event);
    const log = logger.createChild();
    if (context !== undefined) log.addContext(context);
    log.appendKeys({ step: step.name, ...keys });
    try {
      const input = step.Input.safeParse(event);
      if (!input.success) throw new TerminalError('InputInvalid', `${step.name}: ${z.prettifyError(input.error)}`);
      const output = step.Output.parse(await step.run(input.data));
      log.info(`${step.name} done`);
      countDone(watch, step.name, event, keys);
      return output;
    } catch (error) {
      if (error instanceof PendingError) log.info(error.message);
      else if (error instanceof DavitError) log.warn(error.message, { code: error.code });
      else log.error(`${step.name} failed unexpectedly`, error instanceof Error ? error : String(error));
      countThrown(watch.metrics, error, { step: step.name, ...keys });
      throw error;
    }
  };
}

function countDone({ metrics: to, nowEpochMs }: StepWatch, step: string, event: unknown, keys: Properties): void {
  const startedAtEpochMs = stepStartedAtEpochMs(event);
  if (startedAtEpochMs === undefined) return;
  // The clock that stamped this moment may be ahead of this one.
  to.put('StepTime', Math.max(0, nowEpochMs() - startedAtEpochMs), { step }, keys);
}

function countThrown(to: Metrics, error: unknown, keys: Properties): void {
  if (error instanceof PendingError) to.put('Waits', 1, { code: error.code }, keys);
  else if (error instanceof TransientError) to.put('Retries', 1, { code: error.code }, keys);
  else if (!(error instanceof DavitError)) to.put('Defects', 1, {}, keys);
}

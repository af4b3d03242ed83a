import type { Context } from 'aws-lambda';
import { DavitError, PendingError, TerminalError, TransientError } from '../core/errors/errors.ts';
import { Stamps } from '../core/launch/execution-state.ts';
import * as z from '../core/zod.ts';
import { logger } from './logger.ts';
import { type Metrics, metrics, type Properties } from './metrics/metrics.ts';

/**
 * A function that answers no HTTP request: the state machine, a schedule, a table's stream or another function invokes it.
 */
export interface EventFunction<Input, Output> {
  /** The name in logs and metrics; for a step of the state machine, its state's. */
  name: string;
  Input: z.ZodMiniType<Input>;
  Output: z.ZodMiniType<Output>;
  run: (input: Input) => Promise<Output>;
}

/** Where a function reports its attempts. */
export interface FunctionWatch {
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
 * Makes the Lambda handler of a function. It checks data on entry and on exit, and logs and counts the result of the attempt.
 *
 * @returns a handler that throws TerminalError InputInvalid for data that is not the function's, and what the function throws
 */
export function eventHandler<Input, Output>(
  called: EventFunction<Input, Output>,
  watch: FunctionWatch = { metrics, nowEpochMs: Date.now },
): (event: unknown, context?: Context) => Promise<Output> {
  return async (event, context) => {
    const { data: keys = {} } = logKeys.safeParse(event);
    const logged = { step: called.name, ...keys, function_request_id: context?.awsRequestId };
    try {
      const input = called.Input.safeParse(event);
      if (!input.success) throw new TerminalError('InputInvalid', `${called.name}: ${z.prettifyError(input.error)}`);
      const output = called.Output.parse(await called.run(input.data));
      logger.info(`${called.name} done`, logged);
      countDone(watch, called.name, event, keys);
      return output;
    } catch (error) {
      if (error instanceof PendingError) logger.info(error.message, logged);
      else if (error instanceof DavitError) logger.warn(error.message, { ...logged, code: error.code });
      else {
        const defect = error instanceof Error ? error : new Error(String(error));
        logger.error(`${called.name} failed unexpectedly`, { ...logged, error: defect });
      }
      countThrown(watch.metrics, error, { step: called.name, ...keys });
      throw error;
    }
  };
}

function countDone({ metrics: to, nowEpochMs }: FunctionWatch, step: string, event: unknown, keys: Properties): void {
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

/** The steps after a failure are not part of the order. */
const WithoutFailure = z.extend(Stamps, { failure: z.optional(z.undefined()) });

/**
 * Says when a step could start: when the previous step ended, or when the generation started.
 *
 * @param event the step's input, unchecked
 * @returns undefined for an event that is not the data of a launch without a failure
 */
function stepStartedAtEpochMs(event: unknown): number | undefined {
  const stamps = WithoutFailure.safeParse(event).data;
  if (stamps === undefined) return undefined;
  const { startedAtEpochMs, service, nodePort, pod, placement, token } = stamps;
  return Math.max(
    startedAtEpochMs,
    service?.createdAtEpochMs ?? 0,
    nodePort?.readAtEpochMs ?? 0,
    pod?.createdAtEpochMs ?? 0,
    placement?.placedAtEpochMs ?? 0,
    token?.publishedAtEpochMs ?? 0,
  );
}

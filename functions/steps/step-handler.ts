import * as z from 'zod';
import { DavitError, PendingError, TerminalError } from '../domain/errors.ts';
import { logger } from '../logger.ts';

/** A step of the state machine: what it takes, what it gives, and how. */
export interface Step<Input, Output> {
  /** The state's name in the state machine. */
  name: string;
  Input: z.ZodType<Input>;
  Output: z.ZodType<Output>;
  run: (input: Input) => Promise<Output>;
}

const logKeys = z.object({
  launchId: z.string().optional(),
  agentName: z.string().optional(),
  cluster: z.string().optional(),
});

/**
 * Makes the Lambda handler of a step: data is checked on entry and on exit, and how the attempt ended is logged.
 *
 * @returns a handler that throws TerminalError InputInvalid for data that is not the step's, and what the step throws
 */
export function stepHandler<Input, Output>(step: Step<Input, Output>): (event: unknown) => Promise<Output> {
  return async (event) => {
    const log = logger.createChild();
    log.appendKeys({ step: step.name, ...logKeys.safeParse(event).data });
    try {
      const input = step.Input.safeParse(event);
      if (!input.success) throw new TerminalError('InputInvalid', `${step.name}: ${z.prettifyError(input.error)}`);
      const output = step.Output.parse(await step.run(input.data));
      log.info(`${step.name} done`);
      return output;
    } catch (error) {
      if (error instanceof PendingError) log.info(error.message);
      else if (error instanceof DavitError) log.warn(error.message, { code: error.code });
      else log.error(`${step.name} failed unexpectedly`, error instanceof Error ? error : String(error));
      throw error;
    }
  };
}

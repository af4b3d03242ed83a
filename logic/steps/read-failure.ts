import type { ErrorCode } from '../../core/errors/error-codes.ts';
import { codeOfMessage } from '../../core/errors/errors.ts';
import { jsonIn } from '../../core/json-in.ts';
import type { LaunchState } from '../../core/launch/execution-state.ts';
import { shorten } from '../../core/well-formed.ts';
import * as z from '../../core/zod.ts';

/** Why a step failed, as far as a Catch's output shows. */
export interface StepFailure {
  code: ErrorCode;
  message: string;
}

const LambdaCause = z.object({ errorType: z.string(), errorMessage: z.string() });
const longestMessage = 4000;

/** Reads davit's code and message from a Catch's output: Lambda puts the error into `Cause` as JSON. */
export function readFailure({ Error: error, Cause: cause }: LaunchState['failure']): StepFailure {
  // A Cause of Step Functions' own is plain text.
  const thrown = LambdaCause.safeParse(jsonIn(cause)).data;
  const message = shorten(thrown?.errorMessage ?? cause, longestMessage);
  const code = codeOfMessage(message);
  return code === undefined ? { code: 'Unexpected', message: `${error}: ${message}` } : { code, message };
}

import type { Retirements } from '../../ports/retirements.ts';
import { invokeLater, type LambdaFunction } from './create-lambda-clean-ups.ts';

/**
 * Requests retirements by invoking their function: needs lambda:InvokeFunction on it.
 *
 * @param target the retire-runner function
 */
export function createLambdaRetirements(target: LambdaFunction): Retirements {
  return {
    request: ({ launchId, reason, by, actor, finishedJobKey }) =>
      invokeLater(target, { launchId, reason, by, actor, ...(finishedJobKey === undefined ? {} : { finishedJobKey }) }),
  };
}

import type { Refusals } from '../../ports/refusals.ts';
import { invokeLater, type LambdaFunction } from './create-lambda-clean-ups.ts';

/**
 * Requests the events of refused jobs by invoking the function that sends events: needs lambda:InvokeFunction on it.
 *
 * @param target the publish-events function
 */
export function createLambdaRefusals(target: LambdaFunction): Refusals {
  return { tell: (refused) => invokeLater(target, { refused }) };
}

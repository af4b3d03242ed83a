import type { Admissions } from '../../ports/admissions.ts';
import { invokeLater, type LambdaFunction } from './create-lambda-clean-ups.ts';

/**
 * Asks for admissions by invoking their function: needs lambda:InvokeFunction on it.
 *
 * @param target the admit function
 */
export function createLambdaAdmissions(target: LambdaFunction): Admissions {
  return { request: (launchId) => invokeLater(target, { launchId }) };
}

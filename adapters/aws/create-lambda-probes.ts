import type { Probes } from '../../ports/probes.ts';
import { invokeLater, type LambdaFunction } from './create-lambda-clean-ups.ts';

/**
 * Asks for probes by invoking their function: needs lambda:InvokeFunction on it.
 *
 * @param target the probe function
 */
export function createLambdaProbes(target: LambdaFunction): Probes {
  return {
    request: (cluster) => invokeLater(target, { cluster }),
    requestWatch: (cluster) => invokeLater(target, { cluster, isLaunching: true }),
  };
}

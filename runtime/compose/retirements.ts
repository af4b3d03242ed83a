import { createLambdaClient } from '../../adapters/aws/create-lambda-clean-ups.ts';
import { createLambdaRetirements } from '../../adapters/aws/create-lambda-retirements.ts';
import type { Retirements } from '../../ports/retirements.ts';
import { environment } from '../environment.ts';

/** Composes the requests for retirements, from the environment. */
export function composeRetirements(): Retirements {
  return createLambdaRetirements({
    client: createLambdaClient(),
    functionName: environment('DAVIT_RETIRE_RUNNER_FUNCTION'),
  });
}

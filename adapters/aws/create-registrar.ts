import { InvokeCommand, type LambdaClient } from '@aws-sdk/client-lambda';
import { TransientError } from '../../core/errors/errors.ts';
import { jsonIn } from '../../core/json-in.ts';
import { RegistrationOutcome } from '../../core/launch/registration-outcome.ts';
import type { Registrar } from '../../ports/registrar.ts';

/**
 * Registers agents by invoking register-runner, and waits for its answer: needs lambda:InvokeFunction on it. The answer
 * contains secrets, so no error repeats any part of it.
 *
 * @param target with a client that waits for as long as the function may run, and asks only once: a repeat with the same
 *   nonce could run beside the first
 * @see https://docs.aws.amazon.com/lambda/latest/dg/invocation-sync.html
 */
export function createRegistrar({ client, functionName }: { client: LambdaClient; functionName: string }): Registrar {
  return {
    register: async ({ launchId, agentName }, nonce) => {
      const { FunctionError, Payload } = await client.send(
        new InvokeCommand({ FunctionName: functionName, Payload: JSON.stringify({ launchId, agentName, nonce }) }),
      );
      if (FunctionError !== undefined) throw unknownOutcome(launchId, `it failed: ${FunctionError}`);
      const outcome = RegistrationOutcome.safeParse(jsonIn(Payload?.transformToString() ?? ''));
      if (!outcome.success) throw unknownOutcome(launchId, 'its answer has another shape');
      return outcome.data;
    },
  };
}

function unknownOutcome(launchId: string, why: string): TransientError {
  return new TransientError('StoreUnavailable', `Lambda Invoke register-runner: ${why}`, { launchId });
}

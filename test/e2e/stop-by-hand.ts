import * as z from 'zod';
import { stepFunctions } from '../../functions/adapters/aws/aws-services.ts';
import { executionArnOf } from '../../functions/adapters/aws/create-sfn-executions.ts';
import { createJsonClient } from '../../functions/adapters/aws/json-client.ts';
import { localAws } from '../../local/local-aws.ts';
import type { TestRuntime } from '../support/start-test-runtime.ts';

/** Stops a launch's execution as people do, without a word of why. */
export async function stopByHand({ runtime }: Pick<TestRuntime, 'runtime'>, launchId: string): Promise<void> {
  const { stepFunctionsUrl, stateMachineArn } = runtime.services;
  const client = createJsonClient(stepFunctions, localAws(stepFunctionsUrl));
  await client.call('StopExecution', { executionArn: executionArnOf(stateMachineArn, launchId) }, z.unknown());
}

import { StopExecutionCommand } from '@aws-sdk/client-sfn';
import { createSfnClient, executionArnOf } from '../../../../adapters/aws/create-sfn-executions.ts';
import { localAws } from '../../../support/aws/local-aws.ts';
import type { AwsTestRuntime } from '../../../support/start-aws-test-runtime.ts';

/** Stops a launch's execution without a reason, as an operator does in the console. */
export async function stopByHand({ runtime }: Pick<AwsTestRuntime, 'runtime'>, launchId: string): Promise<void> {
  const { stepFunctionsUrl, secretAccessKey, stateMachineArn } = runtime.services;
  const client = createSfnClient(localAws(stepFunctionsUrl, secretAccessKey));
  await client.send(new StopExecutionCommand({ executionArn: executionArnOf(stateMachineArn, launchId) }));
  client.destroy();
}

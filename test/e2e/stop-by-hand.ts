import { SFNClient, StopExecutionCommand } from '@aws-sdk/client-sfn';
import { executionArnOf } from '../../functions/adapters/aws/create-sfn-executions.ts';
import { LOCAL_REGION } from '../../local/lambda/function-name.ts';
import type { TestRuntime } from '../support/start-test-runtime.ts';

/** Stops a launch's execution as people do, without a word of why. */
export async function stopByHand({ runtime }: Pick<TestRuntime, 'runtime'>, launchId: string): Promise<void> {
  const { stepFunctionsUrl: endpoint, stateMachineArn } = runtime.services;
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
  const client = new SFNClient({ endpoint, region: LOCAL_REGION, credentials });
  await client.send(new StopExecutionCommand({ executionArn: executionArnOf(stateMachineArn, launchId) }));
  client.destroy();
}

import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { SFNClient } from '@aws-sdk/client-sfn';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { createDynamoLaunches } from '../../functions/adapters/aws/create-dynamo-launches.ts';
import { createLambdaCleanUps } from '../../functions/adapters/aws/create-lambda-clean-ups.ts';
import { createSfnExecutions } from '../../functions/adapters/aws/create-sfn-executions.ts';
import type { CleanUps } from '../../functions/ports/clean-ups.ts';
import type { Executions } from '../../functions/ports/executions.ts';
import type { Launches } from '../../functions/ports/launches.ts';
import { LOCAL_REGION } from '../lambda/function-name.ts';
import type { LocalServices } from './function-environment.ts';

/** The ports of a launch, over the local services. */
export interface LaunchPorts extends Disposable {
  launches: Launches;
  executions: Executions;
  cleanUps: CleanUps;
  /** Tells the clean-up function that an execution ended otherwise than well, as an EventBridge rule does on AWS. */
  announceEnd: (launchId: string, status: string) => Promise<void>;
}

/** Connects to the local services with the same adapters as the functions. */
export function connectServices(services: LocalServices): LaunchPorts {
  const common = { region: LOCAL_REGION, credentials: { accessKeyId: 'local', secretAccessKey: 'local' } };
  const dynamoDb = DynamoDBDocumentClient.from(new DynamoDBClient({ ...common, endpoint: services.dynamoDbUrl }), {
    marshallOptions: { removeUndefinedValues: true },
  });
  const sfn = new SFNClient({ ...common, endpoint: services.stepFunctionsUrl });
  const lambda = new LambdaClient({ ...common, endpoint: services.lambdaUrl });
  return {
    launches: createDynamoLaunches({ client: dynamoDb, tableName: services.launchesTable }),
    executions: createSfnExecutions({ client: sfn, stateMachineArn: services.stateMachineArn }),
    cleanUps: createLambdaCleanUps({ client: lambda, functionName: services.cleanUpFunction }),
    announceEnd: async (name, status) => {
      const event = {
        source: 'aws.states',
        'detail-type': 'Step Functions Execution Status Change',
        detail: { stateMachineArn: services.stateMachineArn, name, status },
      };
      const Payload = JSON.stringify(event);
      await lambda.send(
        new InvokeCommand({ FunctionName: services.cleanUpFunction, InvocationType: 'Event', Payload }),
      );
    },
    [Symbol.dispose]: () => {
      for (const client of [dynamoDb, sfn, lambda]) client.destroy();
    },
  };
}

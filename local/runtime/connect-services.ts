import { createDynamoLaunches } from '../../functions/adapters/aws/create-dynamo-launches.ts';
import {
  createLambdaCleanUps,
  createLambdaClient,
  invokeLater,
} from '../../functions/adapters/aws/create-lambda-clean-ups.ts';
import { createSfnClient, createSfnExecutions } from '../../functions/adapters/aws/create-sfn-executions.ts';
import { createDynamoClient } from '../../functions/adapters/aws/dynamo-table.ts';
import type { CleanUps } from '../../functions/ports/clean-ups.ts';
import type { Executions } from '../../functions/ports/executions.ts';
import type { Launches } from '../../functions/ports/launches.ts';
import { localAws } from '../local-aws.ts';
import type { LocalServices } from './function-environment.ts';

/** The ports of a launch, over the local services. */
export interface LaunchPorts {
  launches: Launches;
  executions: Executions;
  cleanUps: CleanUps;
  /** Tells the clean-up function that an execution ended otherwise than well, as an EventBridge rule does on AWS. */
  publishEnd: (launchId: string, status: string) => Promise<void>;
}

/** Connects to the local services with the same adapters as the functions. */
export function connectServices(services: LocalServices): LaunchPorts {
  const { launchesTable: tableName, stateMachineArn, cleanUpFunction: functionName } = services;
  const tables = createDynamoClient(localAws(services.dynamoDbUrl, services.secretAccessKey));
  const machines = createSfnClient(localAws(services.stepFunctionsUrl, services.secretAccessKey));
  const cleanUp = { client: createLambdaClient(localAws(services.lambdaUrl, services.secretAccessKey)), functionName };
  return {
    launches: createDynamoLaunches({ client: tables, tableName }),
    executions: createSfnExecutions({ client: machines, stateMachineArn }),
    cleanUps: createLambdaCleanUps(cleanUp),
    publishEnd: async (name, status) => {
      await invokeLater(cleanUp, {
        source: 'aws.states',
        'detail-type': 'Step Functions Execution Status Change',
        detail: { stateMachineArn, name, status },
      });
    },
  };
}

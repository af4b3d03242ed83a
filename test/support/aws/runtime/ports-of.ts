import { createDynamoJobs } from '../../../../adapters/aws/create-dynamo-jobs.ts';
import { createDynamoLaunches } from '../../../../adapters/aws/create-dynamo-launches.ts';
import { createDynamoSlots } from '../../../../adapters/aws/create-dynamo-slots.ts';
import { createSfnClient, createSfnExecutions } from '../../../../adapters/aws/create-sfn-executions.ts';
import { createDynamoClient } from '../../../../adapters/aws/dynamo-table.ts';
import { createInvokeLater, createLambdaClient } from '../../../../adapters/aws/invoke-later.ts';
import type { Runtime } from '../../../../local/runtime/start-runtime.ts';
import { localAws } from '../local-aws.ts';
import type { LocalServices } from './function-environment.ts';

/** Connects to a runtime's services with the same adapters as the functions. */
export function portsOf(services: LocalServices): Runtime['ports'] {
  const { launchesTable, jobsTable, stateMachineArn, secretAccessKey } = services;
  const tables = createDynamoClient(localAws(services.dynamoDbUrl, secretAccessKey));
  const machines = createSfnClient(localAws(services.stepFunctionsUrl, secretAccessKey));
  const client = createLambdaClient(localAws(services.lambdaUrl, secretAccessKey));
  return {
    launches: createDynamoLaunches({ client: tables, tableName: launchesTable }),
    jobs: createDynamoJobs({ client: tables, tableName: jobsTable }),
    slots: createDynamoSlots({ client: tables, tableName: jobsTable }),
    executions: createSfnExecutions({ client: machines, stateMachineArn }),
    invokeLater: createInvokeLater({ client, functionNames: { 'clean-up': 'clean-up' } }),
  };
}

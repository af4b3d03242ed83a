import { createDynamoLaunches } from '../../functions/adapters/aws/create-dynamo-launches.ts';
import { createLambdaCleanUps, createLambdaClient } from '../../functions/adapters/aws/create-lambda-clean-ups.ts';
import { createSfnClient, createSfnExecutions } from '../../functions/adapters/aws/create-sfn-executions.ts';
import { createDynamoClient } from '../../functions/adapters/aws/dynamo-table.ts';
import type { CleanUps } from '../../functions/ports/clean-ups.ts';
import type { Executions } from '../../functions/ports/executions.ts';
import type { Launches } from '../../functions/ports/launches.ts';
import { localAws } from '../../local/local-aws.ts';
import type { LocalServices } from '../../local/runtime/function-environment.ts';
import type { Runtime } from '../../local/runtime/start-runtime.ts';

/** The ports of a launch, over a runtime's services. */
export interface LaunchPorts {
  launches: Launches;
  executions: Executions;
  cleanUps: CleanUps;
}

const connected = new WeakMap<LocalServices, LaunchPorts>();

/** Connects to a runtime's services with the same adapters as the functions, once for each runtime. */
export function portsOf({ services }: Pick<Runtime, 'services'>): LaunchPorts {
  const ports = connected.get(services) ?? connect(services);
  connected.set(services, ports);
  return ports;
}

function connect(services: LocalServices): LaunchPorts {
  const { launchesTable: tableName, stateMachineArn, cleanUpFunction: functionName, secretAccessKey } = services;
  const tables = createDynamoClient(localAws(services.dynamoDbUrl, secretAccessKey));
  const machines = createSfnClient(localAws(services.stepFunctionsUrl, secretAccessKey));
  const client = createLambdaClient(localAws(services.lambdaUrl, secretAccessKey));
  return {
    launches: createDynamoLaunches({ client: tables, tableName }),
    executions: createSfnExecutions({ client: machines, stateMachineArn }),
    cleanUps: createLambdaCleanUps({ client, functionName }),
  };
}

import { createDynamoRegistrations } from '../adapters/aws/create-dynamo-registrations.ts';
import { createDynamoClient } from '../adapters/aws/dynamo-table.ts';
import { composeCiSystems } from '../compose/ci-systems.ts';
import { composeLaunches } from '../compose/launches.ts';
import { environment } from '../environment.ts';
import { stepHandler } from '../steps/step-handler.ts';
import { RegisterRunnerInput, RegisterRunnerOutput, registerRunner } from './register-runner.ts';

const client = createDynamoClient();
const deps = {
  launches: composeLaunches(client),
  registrations: createDynamoRegistrations({ client, tableName: environment('DAVIT_LAUNCHES_TABLE') }),
  ciSystemOf: composeCiSystems(),
  installationId: environment('DAVIT_INSTALLATION_ID'),
  nowEpochMs: Date.now,
};

/** Registers an agent at its CI system. Its answer has a secret: nothing of it is logged. */
export const handler = stepHandler({
  name: 'RegisterRunner',
  Input: RegisterRunnerInput,
  Output: RegisterRunnerOutput,
  run: (input) => registerRunner(deps, input),
});

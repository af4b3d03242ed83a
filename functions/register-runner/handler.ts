import { randomUUID } from 'node:crypto';
import { createDynamoClient } from '../adapters/aws/dynamo-table.ts';
import { composeCiSystems } from '../compose/ci-systems.ts';
import { composeLaunches } from '../compose/launches.ts';
import { composeRegistrations } from '../compose/registrations.ts';
import { environment } from '../environment.ts';
import { stepHandler } from '../steps/step-handler.ts';
import { RegisterRunnerInput, RegisterRunnerOutput, registerRunner } from './register-runner.ts';

const client = createDynamoClient();
const deps = {
  launches: composeLaunches(client),
  registrations: composeRegistrations(client),
  ciSystemOf: composeCiSystems(),
  installationId: environment('DAVIT_INSTALLATION_ID'),
  newNonce: randomUUID,
  nowEpochMs: Date.now,
};

/** Registers an agent at its CI system. The answer contains a secret: davit logs no part of it. */
export const handler = stepHandler({
  name: 'RegisterRunner',
  Input: RegisterRunnerInput,
  Output: RegisterRunnerOutput,
  run: (input) => registerRunner(deps, input),
});

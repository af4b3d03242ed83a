import { randomUUID } from 'node:crypto';
import { createDynamoClient } from '../../adapters/aws/dynamo-table.ts';
import { composeCiSystems } from '../../runtime/compose/ci-systems.ts';
import { composeLaunches, composePace, composeRegistrations } from '../../runtime/compose/tables.ts';
import { environment } from '../../runtime/environment.ts';
import { eventHandler } from '../../runtime/event-handler.ts';
import { RegisterRunnerInput, RegisterRunnerOutput, registerRunner } from './register-runner.ts';

const client = createDynamoClient();
const deps = {
  launches: composeLaunches(client),
  registrations: composeRegistrations(client),
  ciSystemOf: composeCiSystems('register-runner'),
  pace: composePace(client),
  installationId: environment('DAVIT_INSTALLATION_ID'),
  newNonce: randomUUID,
  nowEpochMs: Date.now,
};

/** Registers an agent at its CI system. The answer contains a secret: davit logs no part of it. */
export const handler = eventHandler({
  name: 'RegisterRunner',
  Input: RegisterRunnerInput,
  Output: RegisterRunnerOutput,
  run: (input) => registerRunner(deps, input),
});

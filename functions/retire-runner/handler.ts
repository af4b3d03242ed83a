import { setTimeout as sleep } from 'node:timers/promises';
import { createDynamoClient } from '../../adapters/aws/dynamo-table.ts';
import { composeCiSystems } from '../../runtime/compose/ci-systems.ts';
import { composeInvokeLater } from '../../runtime/compose/invoke-later.ts';
import { composeLaunchDependencies } from '../../runtime/compose/launch-dependencies.ts';
import { composePace, composeRegistrations } from '../../runtime/compose/tables.ts';
import { eventHandler } from '../../runtime/event-handler.ts';
import { logger } from '../../runtime/logger.ts';
import { RetireRunnerInput, RetireRunnerOutput, retireRunner } from './retire-runner.ts';

const client = createDynamoClient();
const deps = {
  ...composeLaunchDependencies(client),
  invokeLater: composeInvokeLater(['clean-up']),
  registrations: composeRegistrations(client),
  ciSystemOf: composeCiSystems('retire-runner'),
  pace: composePace(client),
  sleep: async (ms: number) => sleep(ms),
};

/** Removes a runner from its CI system and ends its launch. Callers invoke it asynchronously. */
export const handler = eventHandler({
  name: 'RetireRunner',
  Input: RetireRunnerInput,
  Output: RetireRunnerOutput,
  run: async (input) => {
    const output = await retireRunner(deps, input);
    logger.info(`RetireRunner: ${input.launchId}: ${output.outcome}`, { ...input, ...output });
    return output;
  },
});

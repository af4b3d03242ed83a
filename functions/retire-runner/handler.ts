import { setTimeout as sleep } from 'node:timers/promises';
import { composeCiSystems } from '../compose/ci-systems.ts';
import { composeLaunchDependencies } from '../compose/launch-dependencies.ts';
import { composeRegistrations } from '../compose/registrations.ts';
import { logger } from '../logger.ts';
import { stepHandler } from '../steps/step-handler.ts';
import { RetireRunnerInput, RetireRunnerOutput, retireRunner } from './retire-runner.ts';

const deps = {
  ...composeLaunchDependencies(),
  registrations: composeRegistrations(),
  ciSystemOf: composeCiSystems(),
  sleep: async (ms: number) => sleep(ms),
};

/** Takes a runner out of its CI system and ends its launch, for whoever asks asynchronously. */
export const handler = stepHandler({
  name: 'RetireRunner',
  Input: RetireRunnerInput,
  Output: RetireRunnerOutput,
  run: async (input) => {
    const output = await retireRunner(deps, input);
    logger.info(`RetireRunner: ${input.launchId}: ${output.outcome}`, { ...input, ...output });
    return output;
  },
});

import { bundledConfig } from '../bundled-config.ts';
import { composeLaunchDependencies } from '../compose/launch-dependencies.ts';
import { composeRetirements } from '../compose/retirements.ts';
import { httpHandler } from '../http/http-handler.ts';
import { logger } from '../logger.ts';
import { metrics } from '../metrics/metrics.ts';
import { answerLaunches } from './launches.ts';

const deps = {
  ...composeLaunchDependencies(),
  retirements: composeRetirements(),
  profiles: bundledConfig().profiles,
};

/** Starts, shows and ends launches, for CI servers that call directly and for people. */
export const handler = httpHandler((request) => answerLaunches(deps, request), { name: 'launches', logger, metrics });

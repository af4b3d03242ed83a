import { bundledConfig } from '../bundled-config.ts';
import { composeLaunchParts } from '../compose/launch-parts.ts';
import { httpHandler } from '../http/http-handler.ts';
import { logger } from '../logger.ts';
import { metrics } from '../metrics/metrics.ts';
import { answerLaunches } from './launches.ts';

const deps = { ...composeLaunchParts(), profiles: bundledConfig().profiles };

/** Takes launches from CI servers that call directly, and shows and ends them for people. */
export const handler = httpHandler((request) => answerLaunches(deps, request), { name: 'launches', logger, metrics });

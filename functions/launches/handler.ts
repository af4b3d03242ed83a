import { randomUUID } from 'node:crypto';
import { createDynamoClient } from '../../adapters/aws/dynamo-table.ts';
import { bundledConfig } from '../../runtime/bundled-config.ts';
import { composeInvokeLater } from '../../runtime/compose/invoke-later.ts';
import { composeLaunchDependencies } from '../../runtime/compose/launch-dependencies.ts';
import { composeClusterStates, composeSlots } from '../../runtime/compose/tables.ts';
import { httpHandler } from '../../runtime/http/http-handler.ts';
import { logger } from '../../runtime/logger.ts';
import { metrics } from '../../runtime/metrics/metrics.ts';
import { answerLaunches } from './launches.ts';

const client = createDynamoClient();
const deps = {
  ...composeLaunchDependencies(client),
  invokeLater: composeInvokeLater(['clean-up', 'retire-runner']),
  clusterStates: composeClusterStates(client),
  profiles: bundledConfig().profiles,
  slots: composeSlots(client),
  newNonce: randomUUID,
};

/** Starts, shows and ends launches, for CI servers that call directly and for people. */
export const handler = httpHandler((request) => answerLaunches(deps, request), { name: 'launches', logger, metrics });

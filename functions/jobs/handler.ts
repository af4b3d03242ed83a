import { createDynamoClient } from '../../adapters/aws/dynamo-table.ts';
import { bundledConfig } from '../../runtime/bundled-config.ts';
import {
  composeJobs,
  composeLaunches,
  composeRefusedWebhooks,
  composeRoundCursors,
  composeSlotReader,
} from '../../runtime/compose/tables.ts';
import { httpHandler } from '../../runtime/http/http-handler.ts';
import { logger } from '../../runtime/logger.ts';
import { metrics } from '../../runtime/metrics/metrics.ts';
import { answerJobs } from './jobs.ts';

const { ciSystems, profiles, limits } = bundledConfig();
const client = createDynamoClient();
const deps = {
  ciSystems,
  profiles,
  agentLimits: limits,
  slots: composeSlotReader(client),
  jobs: composeJobs(client),
  launches: composeLaunches(client),
  refusedWebhooks: composeRefusedWebhooks(client),
  cursors: composeRoundCursors(client),
  nowEpochMs: Date.now,
};

/** Shows the waiting jobs, and what each waits for. */
export const handler = httpHandler((request) => answerJobs(deps, request), { name: 'jobs', logger, metrics });

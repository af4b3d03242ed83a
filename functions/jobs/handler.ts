import { createDynamoClient } from '../adapters/aws/dynamo-table.ts';
import { bundledConfig } from '../bundled-config.ts';
import { composeJobs } from '../compose/jobs.ts';
import { composeLaunches } from '../compose/launches.ts';
import { composeSlots } from '../compose/slots.ts';
import { httpHandler } from '../http/http-handler.ts';
import { logger } from '../logger.ts';
import { metrics } from '../metrics/metrics.ts';
import { answerJobs } from './jobs.ts';

const { ciSystems, profiles, limits } = bundledConfig();
const client = createDynamoClient();
const deps = {
  ciSystems,
  profiles,
  agentLimits: limits,
  slots: composeSlots(client),
  jobs: composeJobs(client),
  launches: composeLaunches(client),
  nowEpochMs: Date.now,
};

/** Shows the waiting jobs, and what each waits for. */
export const handler = httpHandler((request) => answerJobs(deps, request), { name: 'jobs', logger, metrics });

import { randomUUID } from 'node:crypto';
import { createDynamoClient } from '../../adapters/aws/dynamo-table.ts';
import * as z from '../../core/zod.ts';
import { bundledConfig } from '../../runtime/bundled-config.ts';
import { composeExecutions } from '../../runtime/compose/launch-dependencies.ts';
import { composeClusterStates, composeJobs, composeLaunches, composeSlots } from '../../runtime/compose/tables.ts';
import { eventHandler } from '../../runtime/event-handler.ts';
import { AdmitInput, admit } from './admit.ts';

const { ciSystems, profiles, limits } = bundledConfig();
const client = createDynamoClient();
const deps = {
  ciSystems,
  profiles,
  agentLimits: limits,
  launches: composeLaunches(client),
  jobs: composeJobs(client),
  slots: composeSlots(client),
  clusterStates: composeClusterStates(client),
  executions: composeExecutions(),
  newNonce: randomUUID,
  nowEpochMs: Date.now,
};

/** The Lambda that publish-events invokes when a launch is over that held slots of limits. */
export const handler = eventHandler({
  name: 'Admit',
  Input: AdmitInput,
  Output: z.object({}),
  run: async (input) => {
    await admit(deps, input);
    return {};
  },
});

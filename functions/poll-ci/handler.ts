import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { createDynamoClient } from '../../adapters/aws/dynamo-table.ts';
import { bundledConfig } from '../../runtime/bundled-config.ts';
import { composeCiSystems } from '../../runtime/compose/ci-systems.ts';
import { composeInvokeLater } from '../../runtime/compose/invoke-later.ts';
import { composeLaunchDependencies } from '../../runtime/compose/launch-dependencies.ts';
import {
  composeCiClocks,
  composeClusterStates,
  composeJobs,
  composePollCursors,
  composeRegistrations,
  composeSlots,
} from '../../runtime/compose/tables.ts';
import { environment } from '../../runtime/environment.ts';
import { eventHandler } from '../../runtime/event-handler.ts';
import { logger } from '../../runtime/logger.ts';
import { PollCiInput, PollCiReport, pollCi, pollTotalMs } from './poll-ci.ts';

const { profiles, ciSystems, limits } = bundledConfig();
const client = createDynamoClient();
const deps = {
  ...composeLaunchDependencies(client),
  invokeLater: composeInvokeLater(['clean-up', 'publish-events', 'retire-runner']),
  clusterStates: composeClusterStates(client),
  profiles,
  ciSystems,
  ciSystemOf: composeCiSystems('poll-ci'),
  agentLimits: limits,
  jobs: composeJobs(client),
  cursors: composePollCursors(client),
  ciClocks: composeCiClocks(client),
  slots: composeSlots(client),
  newNonce: randomUUID,
  registrations: composeRegistrations(client),
  installationId: environment('DAVIT_INSTALLATION_ID'),
  queueHolder: randomUUID(),
  sleep: async (ms: number) => sleep(ms),
  totalMs: pollTotalMs,
};

/** Polls CI systems: on a schedule, which passes no input, and when a signed request asks for a poll at once. */
export const handler = eventHandler({
  name: 'PollCi',
  Input: PollCiInput,
  Output: PollCiReport,
  run: async (input) => {
    const report = await pollCi(deps, input);
    for (const error of report.errors) logger.warn(`PollCi: ${error}`);
    return report;
  },
});

import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { createDynamoClient } from '../../adapters/aws/dynamo-table.ts';
import { composeCiSystems } from '../../runtime/compose/ci-systems.ts';
import { composeInvokeLater } from '../../runtime/compose/invoke-later.ts';
import { composeJobDependencies } from '../../runtime/compose/job-dependencies.ts';
import { composePollCursors } from '../../runtime/compose/tables.ts';
import { eventHandler } from '../../runtime/event-handler.ts';
import { logger } from '../../runtime/logger.ts';
import { PollCiInput, PollCiReport, pollCi, pollTotalMs } from './poll-ci.ts';

const client = createDynamoClient();
const deps = {
  ...composeJobDependencies(client),
  invokeLater: composeInvokeLater(['clean-up', 'publish-events', 'retire-runner']),
  ciSystemOf: composeCiSystems('poll-ci'),
  cursors: composePollCursors(client),
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

import { createDynamoClient } from '../../adapters/aws/dynamo-table.ts';
import { composeCiSystems } from '../../runtime/compose/ci-systems.ts';
import { composePace, composeToldJobs } from '../../runtime/compose/tables.ts';
import { eventHandler } from '../../runtime/event-handler.ts';
import { logger } from '../../runtime/logger.ts';
import { ReportToCiInput, ReportToCiOutput, reportToCi } from './report-to-ci.ts';

const client = createDynamoClient();
const deps = { ciSystemOf: composeCiSystems('report-to-ci'), pace: composePace(client), told: composeToldJobs(client) };

/** Reports to a CI system why a job waits. Reconcile invokes it asynchronously. */
export const handler = eventHandler({
  name: 'ReportToCi',
  Input: ReportToCiInput,
  Output: ReportToCiOutput,
  run: async (report) => {
    const output = await reportToCi(deps, report);
    const { ciSystem, jobKey, state, description } = report;
    logger.info(`ReportToCi: ${jobKey}: ${output.outcome}`, { ciSystem, jobKey, state, description, ...output });
    return output;
  },
});

import { createEventBridgeClient, createEventBus, kindsOf } from '../../adapters/aws/create-event-bus.ts';
import { createDynamoClient } from '../../adapters/aws/dynamo-table.ts';
import { SweepReported, sweepSource } from '../../core/events/sweep-event.ts';
import { tracedExecutions } from '../../logic/traces/traced-executions.ts';
import { composeClusters } from '../../runtime/compose/clusters.ts';
import { composeInvokeLater } from '../../runtime/compose/invoke-later.ts';
import { composeLaunchDependencies } from '../../runtime/compose/launch-dependencies.ts';
import { environment } from '../../runtime/environment.ts';
import { eventHandler } from '../../runtime/event-handler.ts';
import { logger } from '../../runtime/logger.ts';
import { metrics } from '../../runtime/metrics/metrics.ts';
import { traceWrites } from '../../runtime/trace-writes.ts';
import { logReport } from './log-report.ts';
import { publishReport } from './publish-report.ts';
import { SweepInput, sweep } from './sweep.ts';
import { SweepReport } from './sweep-report.ts';
import { sweepLimits } from './sweep-run.ts';

const client = createDynamoClient();
const { config, openCluster, clusterStates } = composeClusters(client);
const kinds = kindsOf(sweepSource, { SweepReported });
const events = createEventBus({ client: createEventBridgeClient(), busName: environment('DAVIT_EVENT_BUS'), kinds });
const deps = {
  ...composeLaunchDependencies(client),
  invokeLater: composeInvokeLater(['clean-up', 'retire-runner']),
  clusters: config.clusters.map(({ name }) => name),
  profiles: config.profiles,
  clusterStates,
  openCluster,
  limits: sweepLimits,
};

/** The scheduled sweep's Lambda; `{"dryRun": true}` shows what it would do. */
export const handler = eventHandler({
  name: 'Sweep',
  Input: SweepInput,
  Output: SweepReport,
  run: async (input) => {
    const source = { by: 'sweep', graceSeconds: input.graceSeconds };
    const executions = tracedExecutions(deps.executions, source, traceWrites);
    const report = await sweep({ ...deps, executions }, input);
    logReport(logger, report);
    await publishReport({ ...deps, metrics, events, log: logger }, report);
    return report;
  },
});

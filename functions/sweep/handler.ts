import { eventBridge } from '../adapters/aws/aws-services.ts';
import { createEventBus } from '../adapters/aws/create-event-bus.ts';
import { createJsonClient } from '../adapters/aws/json-client.ts';
import { composeClusters } from '../compose/clusters.ts';
import { composeLaunchParts } from '../compose/launch-parts.ts';
import { environment } from '../config.ts';
import { logger } from '../logger.ts';
import { metrics } from '../metrics/metrics.ts';
import { stepHandler } from '../steps/step-handler.ts';
import { logReport } from './log-report.ts';
import { SweepInput, sweep } from './sweep.ts';
import { SweepReport } from './sweep-report.ts';
import { sweepLimits } from './sweep-run.ts';
import { tellReport } from './tell-report.ts';

const { config, openCluster } = composeClusters();
const events = createEventBus({ client: createJsonClient(eventBridge), busName: environment('DAVIT_EVENT_BUS') });
const deps = { ...composeLaunchParts(), profiles: config.profiles, openCluster, limits: sweepLimits };

/** The scheduled sweep's Lambda; `{"dryRun": true}` shows what it would do. */
export const handler = stepHandler({
  name: 'Sweep',
  Input: SweepInput,
  Output: SweepReport,
  run: async (input) => {
    const report = await sweep(deps, input);
    logReport(logger, report);
    await tellReport({ ...deps, metrics, events, log: logger }, report);
    return report;
  },
});

import { composeClusters } from '../compose/clusters.ts';
import { composeLaunchParts } from '../compose/launches.ts';
import { logger } from '../logger.ts';
import { stepHandler } from '../steps/step-handler.ts';
import { logReport } from './log-report.ts';
import { SweepInput, sweep } from './sweep.ts';
import { SweepReport } from './sweep-report.ts';
import { sweepLimits } from './sweep-run.ts';

const { config, openCluster } = composeClusters();
const deps = { ...composeLaunchParts(), profiles: config.profiles, openCluster, limits: sweepLimits };

/** The scheduled sweep's Lambda; `{"dryRun": true}` shows what it would do. */
export const handler = stepHandler({
  name: 'Sweep',
  Input: SweepInput,
  Output: SweepReport,
  run: async (input) => {
    const report = await sweep(deps, input);
    logReport(logger, report);
    return report;
  },
});

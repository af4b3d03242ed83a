import { setTimeout as sleep } from 'node:timers/promises';
import { createSfnClient, createSfnExecutions } from '../adapters/aws/create-sfn-executions.ts';
import { bundledConfig } from '../bundled-config.ts';
import { composeCiSystems } from '../compose/ci-systems.ts';
import { composeJobs } from '../compose/jobs.ts';
import { composeLaunches } from '../compose/launches.ts';
import { composeRegistrations } from '../compose/registrations.ts';
import { composeRetirements } from '../compose/retirements.ts';
import { environment } from '../environment.ts';
import { logger } from '../logger.ts';
import { metrics } from '../metrics/metrics.ts';
import { stepHandler } from '../steps/step-handler.ts';
import * as z from '../zod.ts';
import { publishReport } from './publish-report.ts';
import { reconcile } from './reconcile.ts';
import { reconcileTotalMs } from './reconcile-deps.ts';
import { ReconcileReport } from './reconcile-report.ts';

const { ciSystems, profiles } = bundledConfig();
const deps = {
  ciSystems,
  profiles,
  installationId: environment('DAVIT_INSTALLATION_ID'),
  ciSystemOf: composeCiSystems(),
  launches: composeLaunches(),
  jobs: composeJobs(),
  registrations: composeRegistrations(),
  retirements: composeRetirements(),
  executions: createSfnExecutions({
    client: createSfnClient(),
    stateMachineArn: environment('DAVIT_STATE_MACHINE_ARN'),
  }),
  sleep: async (ms: number) => sleep(ms),
  nowEpochMs: Date.now,
  totalMs: reconcileTotalMs,
};

/** The scheduled reconcile's Lambda. Its schedule says nothing. */
export const handler = stepHandler({
  name: 'Reconcile',
  Input: z.object({}),
  Output: ReconcileReport,
  run: async () => {
    const report = await reconcile(deps);
    publishReport({ metrics, log: logger }, report);
    return report;
  },
});

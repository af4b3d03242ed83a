import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { createEventBridgeClient, createEventBus, kindsOf } from '../../adapters/aws/create-event-bus.ts';
import { createDynamoClient } from '../../adapters/aws/dynamo-table.ts';
import { JobRefused, jobSource } from '../../core/events/job-events.ts';
import { JobsWaitForSlots } from '../../core/events/limit-event.ts';
import { RepairMade, repairSource } from '../../core/events/repair-event.ts';
import { bundledConfig } from '../../runtime/bundled-config.ts';
import { composeCiSystems } from '../../runtime/compose/ci-systems.ts';
import { composeInvokeLater } from '../../runtime/compose/invoke-later.ts';
import { composeExecutions } from '../../runtime/compose/launch-dependencies.ts';
import {
  composeCiClocks,
  composeClusterStates,
  composeFailingDeliveries,
  composeJobs,
  composeLaunches,
  composeLostJobs,
  composePace,
  composeRateSpending,
  composeRegistrations,
  composeRoundCursors,
  composeSlots,
  composeToldJobs,
} from '../../runtime/compose/tables.ts';
import { environment } from '../../runtime/environment.ts';
import { eventHandler } from '../../runtime/event-handler.ts';
import { logger } from '../../runtime/logger.ts';
import { metrics } from '../../runtime/metrics/metrics.ts';
import { publishReport } from './publish-report.ts';
import { ReconcileInput, reconcile } from './reconcile.ts';
import { reconcileTotalMs } from './reconcile-deps.ts';
import { ReconcileReport } from './reconcile-report.ts';

const { ciSystems, profiles, limits } = bundledConfig();
const client = createDynamoClient();
const deps = {
  ciSystems,
  profiles,
  agentLimits: limits,
  slots: composeSlots(client),
  newNonce: randomUUID,
  installationId: environment('DAVIT_INSTALLATION_ID'),
  ciSystemOf: composeCiSystems('reconcile'),
  launches: composeLaunches(client),
  clusterStates: composeClusterStates(client),
  jobs: composeJobs(client),
  registrations: composeRegistrations(client),
  invokeLater: composeInvokeLater(['retire-runner', 'report-to-ci']),
  spending: composeRateSpending(client),
  pace: composePace(client),
  cursors: composeRoundCursors(client),
  failingDeliveries: composeFailingDeliveries(client),
  ciClocks: composeCiClocks(client),
  lost: composeLostJobs(client),
  told: composeToldJobs(client),
  executions: composeExecutions(),
  sleep: async (ms: number) => sleep(ms),
  nowEpochMs: Date.now,
  totalMs: reconcileTotalMs,
};

const kinds = { ...kindsOf(repairSource, { JobsWaitForSlots, RepairMade }), ...kindsOf(jobSource, { JobRefused }) };
const events = createEventBus({ client: createEventBridgeClient(), busName: environment('DAVIT_EVENT_BUS'), kinds });

/** The scheduled reconcile's Lambda; `{"dryRun": true}` shows what it would do. */
export const handler = eventHandler({
  name: 'Reconcile',
  Input: ReconcileInput,
  Output: ReconcileReport,
  run: async (input) => {
    const report = await reconcile(deps, input);
    if (!input.dryRun) await publishReport({ metrics, events, log: logger, nowEpochMs: Date.now }, report);
    return report;
  },
});

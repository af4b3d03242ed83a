import { setTimeout as sleep } from 'node:timers/promises';
import { createDynamoClient } from '../../adapters/aws/dynamo-table.ts';
import { openClusterHealth } from '../../adapters/kubernetes/open-clusters.ts';
import { composeClusterAccess } from '../../runtime/compose/clusters.ts';
import { composeClusterStates, composeLaunches } from '../../runtime/compose/tables.ts';
import { eventHandler } from '../../runtime/event-handler.ts';
import { logger } from '../../runtime/logger.ts';
import { metrics } from '../../runtime/metrics/metrics.ts';
import { ProbeInput, ProbeReport, probe } from './probe.ts';
import { probeLimits } from './probe-limits.ts';
import { publishProbe } from './publish-probe.ts';

const { config, sourceOf } = composeClusterAccess();
const client = createDynamoClient();
const deps = {
  profiles: config.profiles,
  openHealth: openClusterHealth(config.clusters, sourceOf, probeLimits.patience),
  clusterStates: composeClusterStates(client),
  launches: composeLaunches(client),
  sleep: async (ms: number) => sleep(ms),
  random: Math.random,
  nowEpochMs: Date.now,
  log: logger,
  totalMs: probeLimits.totalMs,
};

/** The probe's Lambda: of the schedule, which passes no input, and for a cluster whose call has failed. */
export const handler = eventHandler({
  name: 'Probe',
  Input: ProbeInput,
  Output: ProbeReport,
  run: async (input) => {
    const report = await probe(deps, input);
    publishProbe(metrics, report);
    return report;
  },
});

import { createDynamoCiClocks } from '../../adapters/aws/create-dynamo-ci-clocks.ts';
import { createDynamoClusterStates } from '../../adapters/aws/create-dynamo-cluster-states.ts';
import { createDynamoFailingDeliveries } from '../../adapters/aws/create-dynamo-failing-deliveries.ts';
import { createDynamoJobs } from '../../adapters/aws/create-dynamo-jobs.ts';
import { createDynamoLaunches, createDynamoRegistrations } from '../../adapters/aws/create-dynamo-launches.ts';
import { createDynamoLostJobs } from '../../adapters/aws/create-dynamo-lost-jobs.ts';
import { createDynamoPollCursors } from '../../adapters/aws/create-dynamo-poll-cursors.ts';
import { createDynamoPollTurns } from '../../adapters/aws/create-dynamo-poll-turns.ts';
import { createDynamoRateSpending } from '../../adapters/aws/create-dynamo-rate-spending.ts';
import { createDynamoRefusedWebhooks } from '../../adapters/aws/create-dynamo-refused-webhooks.ts';
import { createDynamoRequestPace } from '../../adapters/aws/create-dynamo-request-pace.ts';
import { createDynamoRoundCursors } from '../../adapters/aws/create-dynamo-round-cursors.ts';
import { createDynamoSlotReader, createDynamoSlots } from '../../adapters/aws/create-dynamo-slots.ts';
import { createDynamoToldJobs } from '../../adapters/aws/create-dynamo-told-jobs.ts';
import type { DynamoClient } from '../../adapters/aws/dynamo-table.ts';
import { createSystemPace } from '../../logic/pace/system-pace.ts';
import { bundledConfig } from '../bundled-config.ts';
import { environment } from '../environment.ts';
import { traceWrites } from '../trace-writes.ts';
import { warnUnreadableJob } from '../warn-unreadable-job.ts';

// What davit keeps in its tables, each composed from the environment.

/** Composes the store of how far CI systems' clocks are off. */
export function composeCiClocks(client: DynamoClient) {
  return createDynamoCiClocks({ client, tableName: environment('DAVIT_JOBS_TABLE') });
}

/** Composes the clusters table. */
export function composeClusterStates(client: DynamoClient) {
  return createDynamoClusterStates({ client, tableName: environment('DAVIT_CLUSTERS_TABLE') }, traceWrites);
}

/** Composes the store of webhooks that have not arrived yet. */
export function composeFailingDeliveries(client: DynamoClient) {
  return createDynamoFailingDeliveries({ client, tableName: environment('DAVIT_JOBS_TABLE') });
}

/** Composes the jobs table. */
export function composeJobs(client: DynamoClient) {
  return createDynamoJobs({ client, tableName: environment('DAVIT_JOBS_TABLE') }, traceWrites, warnUnreadableJob);
}

/** Composes the launches table. */
export function composeLaunches(client: DynamoClient) {
  return createDynamoLaunches({ client, tableName: environment('DAVIT_LAUNCHES_TABLE') }, traceWrites);
}

/** Composes the store of lost jobs. */
export function composeLostJobs(client: DynamoClient) {
  return createDynamoLostJobs({ client, tableName: environment('DAVIT_JOBS_TABLE') });
}

/** Composes the store of how far CI systems have been polled. */
export function composePollCursors(client: DynamoClient) {
  return createDynamoPollCursors({ client, tableName: environment('DAVIT_JOBS_TABLE') });
}

/** Composes the turns of the polls that events ask for. */
export function composePollTurns(client: DynamoClient) {
  return createDynamoPollTurns({ client, tableName: environment('DAVIT_JOBS_TABLE') });
}

/** Composes the store of reconciling's use of rate limits. */
export function composeRateSpending(client: DynamoClient) {
  return createDynamoRateSpending({ client, tableName: environment('DAVIT_JOBS_TABLE') });
}

/** Composes the pace of all functions' requests to the CI systems. */
export function composePace(client: DynamoClient) {
  const requestPace = createDynamoRequestPace({ client, tableName: environment('DAVIT_JOBS_TABLE') });
  return createSystemPace({ ciSystems: bundledConfig().ciSystems, requestPace, nowEpochMs: Date.now });
}

/** Composes the store of refused webhooks. */
export function composeRefusedWebhooks(client: DynamoClient) {
  return createDynamoRefusedWebhooks({ client, tableName: environment('DAVIT_JOBS_TABLE') });
}

/** Composes the registrations in the launches table. */
export function composeRegistrations(client: DynamoClient) {
  return createDynamoRegistrations({ client, tableName: environment('DAVIT_LAUNCHES_TABLE') }, traceWrites);
}

/** Composes the store of rounds' cursors. */
export function composeRoundCursors(client: DynamoClient) {
  return createDynamoRoundCursors({ client, tableName: environment('DAVIT_JOBS_TABLE') });
}

/** Composes the reader of limits' slots. */
export function composeSlotReader(client: DynamoClient) {
  return createDynamoSlotReader({ client, tableName: environment('DAVIT_JOBS_TABLE') });
}

/** Composes the slots of limits. */
export function composeSlots(client: DynamoClient) {
  return createDynamoSlots({ client, tableName: environment('DAVIT_JOBS_TABLE') }, traceWrites);
}

/** Composes the store of reports on jobs. */
export function composeToldJobs(client: DynamoClient) {
  return createDynamoToldJobs({ client, tableName: environment('DAVIT_JOBS_TABLE') });
}

import { createEventBridgeClient, createEventBus, kindsOf } from '../../adapters/aws/create-event-bus.ts';
import { createDynamoClient } from '../../adapters/aws/dynamo-table.ts';
import { createLambdaClient } from '../../adapters/aws/invoke-later.ts';
import { readStreamImage } from '../../adapters/aws/read-stream-image.ts';
import { clusterDetails, clusterSource } from '../../core/events/cluster-events.ts';
import { JobRefused, jobSource } from '../../core/events/job-events.ts';
import { lifecycleDetails, lifecycleSource } from '../../core/events/lifecycle-events.ts';
import { composeAdmissions, composeProbes } from '../../runtime/compose/requests.ts';
import { composeLaunches } from '../../runtime/compose/tables.ts';
import { environment } from '../../runtime/environment.ts';
import { eventHandler } from '../../runtime/event-handler.ts';
import { logger } from '../../runtime/logger.ts';
import { metrics } from '../../runtime/metrics/metrics.ts';
import { PublishEventsInput, PublishEventsOutput, publishEvents } from './publish-events.ts';
import { watchLaunches } from './watch-launches.ts';

const kinds = {
  ...kindsOf(lifecycleSource, lifecycleDetails),
  ...kindsOf(clusterSource, clusterDetails),
  ...kindsOf(jobSource, { JobRefused }),
};
const events = createEventBus({ client: createEventBridgeClient(), busName: environment('DAVIT_EVENT_BUS'), kinds });
const client = createDynamoClient();
const lambda = createLambdaClient();
const probes = composeProbes(lambda);
const deps = {
  readImage: readStreamImage,
  events,
  launches: composeLaunches(client),
  admissions: composeAdmissions(lambda),
  probes,
  watchCluster: watchLaunches({ probes, nowEpochMs: Date.now }),
  metrics,
  log: logger,
};

/** The Lambda that the tables' streams run. */
export const handler = eventHandler({
  name: 'PublishEvents',
  Input: PublishEventsInput,
  Output: PublishEventsOutput,
  run: (input) => publishEvents(deps, input),
});

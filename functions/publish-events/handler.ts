import { createEventBridgeClient, createEventBus, kindsOf } from '../../adapters/aws/create-event-bus.ts';
import { createDynamoClient } from '../../adapters/aws/dynamo-table.ts';
import { readStreamImage } from '../../adapters/aws/read-stream-image.ts';
import { clusterDetails, clusterSource } from '../../core/events/cluster-events.ts';
import { JobRefused, jobSource } from '../../core/events/job-events.ts';
import { lifecycleDetails, lifecycleSource } from '../../core/events/lifecycle-events.ts';
import { composeInvokeLater } from '../../runtime/compose/invoke-later.ts';
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
const invokeLater = composeInvokeLater(['admit', 'probe']);
const deps = {
  readImage: readStreamImage,
  events,
  launches: composeLaunches(client),
  invokeLater,
  watchCluster: watchLaunches({ invokeLater, nowEpochMs: Date.now }),
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

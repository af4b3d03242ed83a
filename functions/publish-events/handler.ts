import { createEventBridgeClient, createEventBus } from '../adapters/aws/create-event-bus.ts';
import { readStreamImage } from '../adapters/aws/read-stream-image.ts';
import { composeLaunches } from '../compose/launches.ts';
import { environment } from '../environment.ts';
import { logger } from '../logger.ts';
import { metrics } from '../metrics/metrics.ts';
import { stepHandler } from '../steps/step-handler.ts';
import { PublishEventsInput, PublishEventsOutput, publishEvents } from './publish-events.ts';

const events = createEventBus({ client: createEventBridgeClient(), busName: environment('DAVIT_EVENT_BUS') });
const deps = { readImage: readStreamImage, events, launches: composeLaunches(), metrics, log: logger };

/** The Lambda that the tables' streams run. */
export const handler = stepHandler({
  name: 'PublishEvents',
  Input: PublishEventsInput,
  Output: PublishEventsOutput,
  run: (input) => publishEvents(deps, input),
});

import { eventBridge } from '../adapters/aws/aws-services.ts';
import { createEventBus } from '../adapters/aws/create-event-bus.ts';
import { createJsonClient } from '../adapters/aws/json-client.ts';
import { composeLaunches } from '../compose/launches.ts';
import { environment } from '../config.ts';
import { logger } from '../logger.ts';
import { metrics } from '../metrics/metrics.ts';
import { stepHandler } from '../steps/step-handler.ts';
import { AnnounceInput, AnnounceOutput, announce } from './announce.ts';

const events = createEventBus({ client: createJsonClient(eventBridge), busName: environment('DAVIT_EVENT_BUS') });
const deps = { events, launches: composeLaunches(), metrics, log: logger };

/** The Lambda that the tables' streams run. */
export const handler = stepHandler({
  name: 'Announce',
  Input: AnnounceInput,
  Output: AnnounceOutput,
  run: (input) => announce(deps, input),
});

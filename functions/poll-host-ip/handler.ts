import { createDynamoClient } from '../../adapters/aws/dynamo-table.ts';
import { composeStep } from '../../runtime/compose/clusters.ts';
import { eventHandler } from '../../runtime/event-handler.ts';
import { PollHostIPInput, PollHostIPOutput, pollHostIP } from './poll-host-ip.ts';

const deps = composeStep(createDynamoClient());

/** The PollHostIP state's Lambda. */
export const handler = eventHandler({
  name: 'PollHostIP',
  Input: PollHostIPInput,
  Output: PollHostIPOutput,
  run: (input) => pollHostIP(deps, input),
});

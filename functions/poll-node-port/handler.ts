import { createDynamoClient } from '../../adapters/aws/dynamo-table.ts';
import { composeStep } from '../../runtime/compose/clusters.ts';
import { eventHandler } from '../../runtime/event-handler.ts';
import { PollNodePortInput, PollNodePortOutput, pollNodePort } from './poll-node-port.ts';

const deps = composeStep(createDynamoClient());

/** The PollNodePort state's Lambda. */
export const handler = eventHandler({
  name: 'PollNodePort',
  Input: PollNodePortInput,
  Output: PollNodePortOutput,
  run: (input) => pollNodePort(deps, input),
});

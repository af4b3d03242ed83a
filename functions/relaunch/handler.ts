import { createDynamoClient } from '../../adapters/aws/dynamo-table.ts';
import { composeStep } from '../../runtime/compose/clusters.ts';
import { eventHandler } from '../../runtime/event-handler.ts';
import { RelaunchInput, RelaunchOutput, relaunch } from './relaunch.ts';

const deps = composeStep(createDynamoClient());

/** The Relaunch state's Lambda. */
export const handler = eventHandler({
  name: 'Relaunch',
  Input: RelaunchInput,
  Output: RelaunchOutput,
  run: (input) => relaunch(deps, input),
});

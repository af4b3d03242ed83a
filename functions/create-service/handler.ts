import { createDynamoClient } from '../../adapters/aws/dynamo-table.ts';
import { composeStep } from '../../runtime/compose/clusters.ts';
import { eventHandler } from '../../runtime/event-handler.ts';
import { CreateServiceInput, CreateServiceOutput, createService } from './create-service.ts';

const deps = composeStep(createDynamoClient());

/** The CreateService state's Lambda. */
export const handler = eventHandler({
  name: 'CreateService',
  Input: CreateServiceInput,
  Output: CreateServiceOutput,
  run: (input) => createService(deps, input),
});

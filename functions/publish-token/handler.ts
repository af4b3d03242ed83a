import { createDynamoTokenPublisher } from '../../adapters/aws/create-dynamo-tokens.ts';
import { createDynamoClient } from '../../adapters/aws/dynamo-table.ts';
import { sleepUnlessAborted } from '../../logic/steps/sleep.ts';
import { composeStep } from '../../runtime/compose/clusters.ts';
import { environment } from '../../runtime/environment.ts';
import { eventHandler } from '../../runtime/event-handler.ts';
import { PublishTokenOutput, publishToken } from './publish-token.ts';
import { PublishTokenInput } from './publish-token-input.ts';

const client = createDynamoClient();
const deps = {
  ...composeStep(client),
  tokens: createDynamoTokenPublisher({ client, tableName: environment('DAVIT_TOKENS_TABLE') }),
  sleepMs: sleepUnlessAborted,
};

/** The PublishToken state's Lambda. */
export const handler = eventHandler({
  name: 'PublishToken',
  Input: PublishTokenInput,
  Output: PublishTokenOutput,
  run: (input) => publishToken(deps, input),
});

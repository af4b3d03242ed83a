import { createDynamoTokenPublisher } from '../../adapters/aws/create-dynamo-tokens.ts';
import { createDynamoClient } from '../../adapters/aws/dynamo-table.ts';
import { environment } from '../../runtime/environment.ts';
import { eventHandler } from '../../runtime/event-handler.ts';
import { PublishTokenInput, PublishTokenOutput, publishToken } from './publish-token.ts';

const deps = {
  tokens: createDynamoTokenPublisher({
    client: createDynamoClient(),
    tableName: environment('DAVIT_TOKENS_TABLE'),
  }),
  nowEpochMs: Date.now,
};

/** The PublishToken state's Lambda. */
export const handler = eventHandler({
  name: 'PublishToken',
  Input: PublishTokenInput,
  Output: PublishTokenOutput,
  run: (input) => publishToken(deps, input),
});

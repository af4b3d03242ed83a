import { dynamoDb } from '../adapters/aws/aws-services.ts';
import { createDynamoTokenPublisher } from '../adapters/aws/create-dynamo-tokens.ts';
import { createJsonClient } from '../adapters/aws/json-client.ts';
import { environment } from '../config.ts';
import { stepHandler } from '../steps/step-handler.ts';
import { PublishTokenInput, PublishTokenOutput, publishToken } from './publish-token.ts';

const deps = {
  tokens: createDynamoTokenPublisher({
    client: createJsonClient(dynamoDb),
    tableName: environment('DAVIT_TOKENS_TABLE'),
  }),
  nowEpochMs: Date.now,
};

/** The PublishToken state's Lambda. */
export const handler = stepHandler({
  name: 'PublishToken',
  Input: PublishTokenInput,
  Output: PublishTokenOutput,
  run: (input) => publishToken(deps, input),
});

import { afterAll } from '@jest/globals';
import {
  createDynamoTokenPublisher,
  createDynamoTokenReader,
} from '../../functions/adapters/aws/create-dynamo-tokens.ts';
import { tokensTable } from '../../functions/adapters/aws/table-definitions.ts';
import { MemoryTokens } from '../support/memory-tokens.ts';
import { startDynalite } from '../support/start-dynalite.ts';
import { describeTokens } from './tokens.contract.ts';

const dynalite = await startDynalite();
afterAll(() => dynalite.stop());

describeTokens('memory', async () => {
  const tokens = new MemoryTokens();
  return { reader: tokens, publisher: tokens };
});
describeTokens('DynamoDB', async () => {
  const table = await dynalite.createTable(tokensTable);
  return { reader: createDynamoTokenReader(table), publisher: createDynamoTokenPublisher(table) };
});

import { createDynamoTokenPublisher, createDynamoTokenReader } from '../../adapters/aws/create-dynamo-tokens.ts';
import { tokensTable } from '../../adapters/aws/table-definitions.ts';
import { openStore } from '../../local/store/open-store.ts';
import { sqliteTokens } from '../../local/store/sqlite-tokens.ts';
import { startDynamoDb } from '../support/start-dynamo-db.ts';
import { describeTokens } from './tokens.contract.ts';

const database = await startDynamoDb();
afterAll(() => database.stop());

describeTokens('SQLite', async () => {
  const tokens = sqliteTokens(openStore(':memory:'));
  return { reader: tokens, publisher: tokens };
});
describeTokens('DynamoDB', async () => {
  const table = await database.createTable(tokensTable);
  return { reader: createDynamoTokenReader(table), publisher: createDynamoTokenPublisher(table) };
});

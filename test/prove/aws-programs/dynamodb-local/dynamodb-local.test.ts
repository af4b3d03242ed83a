import { startDynamoDb } from '../../../support/start-dynamo-db.ts';

const dynamoDb = await startDynamoDb();
afterAll(() => dynamoDb.stop());

test('the suites of this run reach DynamoDB Local, not dynalite', async () => {
  const answer = await fetch(dynamoDb.url);

  expect(answer.headers.get('server')).toMatch(/^Jetty/);
});

import { workerData } from 'node:worker_threads';
import { DynamoDBClient, PutItemCommand } from '@aws-sdk/client-dynamodb';
import * as z from 'zod';
import { clientSettings } from '../../../../../functions/adapters/aws/clients.ts';
import { callAws } from '../../../../../functions/adapters/aws/to-transient.ts';

// Puts one item and prints the error. Jest runs tests in a context of its own, where Node's connection errors are not
// `instanceof Error`: the SDK then replaces them by errors without their code. A worker thread is as a Lambda is.
const { endpoint } = z.object({ endpoint: z.url() }).parse(workerData);
const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
const client = new DynamoDBClient({ ...clientSettings, endpoint, region: 'us-east-1', credentials });
const command = new PutItemCommand({ TableName: 'launches', Item: { launchId: { S: 'job' } } });
try {
  await callAws('DynamoDB PutItem', () => client.send(command));
} catch (error) {
  process.stdout.write(String(error));
}

import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { LOCAL_REGION } from './aws/lambda/function-name.ts';
import type { AwsRuntime } from './aws/runtime/start-aws-runtime.ts';

/** A client for a runtime's tables, independent of davit's adapters. */
export function localDynamoDb({ services }: Pick<AwsRuntime, 'services'>): DynamoDBClient & Disposable {
  const credentials = { accessKeyId: 'local', secretAccessKey: services.secretAccessKey };
  const client = new DynamoDBClient({ endpoint: services.dynamoDbUrl, region: LOCAL_REGION, credentials });
  return Object.assign(client, { [Symbol.dispose]: () => client.destroy() });
}

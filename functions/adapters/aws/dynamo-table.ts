import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import type { DynamoDBDocumentClient, UpdateCommandInput } from '@aws-sdk/lib-dynamodb';
import { GetCommand, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { callAws } from './to-transient.ts';

/** An item as it is stored: unchecked until a schema has parsed it. */
export type Item = Record<string, unknown>;

/** One table, and the client that reaches it. */
export interface DynamoTable {
  client: DynamoDBDocumentClient;
  tableName: string;
}

/** What an update does, and what must hold for it. */
export type ConditionalUpdate = Required<
  Pick<
    UpdateCommandInput,
    'Key' | 'UpdateExpression' | 'ConditionExpression' | 'ExpressionAttributeNames' | 'ExpressionAttributeValues'
  >
>;

/** Reads an item, strongly consistent. @throws TransientError StoreUnavailable */
export async function getItem({ client, tableName }: DynamoTable, key: Item): Promise<Item | undefined> {
  const command = new GetCommand({ TableName: tableName, Key: key, ConsistentRead: true });
  return (await callAws('DynamoDB GetItem', () => client.send(command))).Item;
}

/**
 * Puts an item if there is none with its key.
 *
 * @param keyName the table's only key attribute
 * @returns whether it was put
 * @throws TransientError StoreUnavailable
 */
export async function putNewItem({ client, tableName }: DynamoTable, keyName: string, item: Item): Promise<boolean> {
  const command = new PutCommand({
    TableName: tableName,
    Item: item,
    ConditionExpression: 'attribute_not_exists(#key)',
    ExpressionAttributeNames: { '#key': keyName },
  });
  const output = await ifConditionHolds(() => callAws('DynamoDB PutItem', () => client.send(command)));
  return output !== undefined;
}

/**
 * Updates an item if the condition holds.
 *
 * @returns the item as it is then; undefined when the condition does not hold
 * @throws TransientError StoreUnavailable
 */
export async function updateItem(
  { client, tableName }: DynamoTable,
  update: ConditionalUpdate,
): Promise<Item | undefined> {
  const command = new UpdateCommand({ TableName: tableName, ReturnValues: 'ALL_NEW', ...update });
  const output = await ifConditionHolds(() => callAws('DynamoDB UpdateItem', () => client.send(command)));
  return output?.Attributes;
}

// DynamoDB could send the item back with the refusal, but the local DynamoDB cannot: who needs it reads it.
async function ifConditionHolds<Output>(write: () => Promise<Output>): Promise<Output | undefined> {
  try {
    return await write();
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return undefined;
    throw error;
  }
}

import { setTimeout as sleep } from 'node:timers/promises';
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import type { DynamoDBDocumentClient, UpdateCommandInput } from '@aws-sdk/lib-dynamodb';
import { BatchGetCommand, GetCommand, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { TransientError } from '../../domain/errors.ts';
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

/** @see https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_BatchGetItem.html */
const maxBatchKeys = 100;
const maxBatchAttempts = 8;
const backoffBaseMs = 50;

/**
 * Reads many items, strongly consistent, in no order; a key without an item has none. What DynamoDB leaves unprocessed
 * (more than 16 MB, or throttled) is asked for again, backed off with full jitter: up to 50, 100, … 3200 ms, 6.35 s in
 * all.
 *
 * @throws TransientError StoreUnavailable
 */
export async function getItems(table: DynamoTable, keys: readonly Item[]): Promise<Item[]> {
  const items: Item[] = [];
  for (let from = 0; from < keys.length; from += maxBatchKeys) {
    items.push(...(await getBatch(table, keys.slice(from, from + maxBatchKeys))));
  }
  return items;
}

async function getBatch({ client, tableName }: DynamoTable, keys: Item[]): Promise<Item[]> {
  const items: Item[] = [];
  let left = keys;
  for (let attempt = 0; attempt < maxBatchAttempts; attempt += 1) {
    if (attempt > 0) await sleep(Math.random() * backoffBaseMs * 2 ** (attempt - 1));
    const command = new BatchGetCommand({ RequestItems: { [tableName]: { Keys: left, ConsistentRead: true } } });
    const output = await callAws('DynamoDB BatchGetItem', () => client.send(command));
    items.push(...(output.Responses?.[tableName] ?? []));
    left = output.UnprocessedKeys?.[tableName]?.Keys ?? [];
    if (left.length === 0) return items;
  }
  throw new TransientError('StoreUnavailable', `DynamoDB BatchGetItem: ${left.length} keys were never processed`);
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

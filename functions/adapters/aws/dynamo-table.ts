import { setTimeout as sleep } from 'node:timers/promises';
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { marshall, unmarshall } from '@aws-sdk/util-dynamodb';
import { TransientError } from '../../domain/errors.ts';
import * as z from '../../zod.ts';
import { isAwsError } from './aws-error.ts';
import type { JsonClient } from './json-client.ts';

/** An item as it is stored: unchecked until a schema has parsed it. */
export type Item = Record<string, unknown>;

/** One table, and the client that reaches it. */
export interface DynamoTable {
  client: JsonClient;
  tableName: string;
}

/** What an update does, and what must hold for it. */
export interface ConditionalUpdate {
  Key: Item;
  UpdateExpression: string;
  ConditionExpression: string;
  ExpressionAttributeNames: Record<string, string>;
  ExpressionAttributeValues: Item;
}

/** What is asked of an index, and where to begin. */
export interface IndexQuery {
  IndexName: string;
  KeyConditionExpression: string;
  ExpressionAttributeNames: Record<string, string>;
  ExpressionAttributeValues: Item;
  ScanIndexForward: boolean;
  Limit: number;
  ExclusiveStartKey?: Item;
}

/** Writes values as DynamoDB takes them. Fields that are undefined are left out. */
function attributesOf(item: Item): Record<string, AttributeValue> {
  return marshall(item, { removeUndefinedValues: true });
}

const Attribute = z.custom<AttributeValue>((value) => typeof value === 'object' && value !== null);
const Attributes = z.record(z.string(), Attribute);
const StoredItem = z.pipe(
  Attributes,
  // By itself it throws of some numbers that JavaScript has not, and with one item all of a batch is lost. No schema takes one.
  z.transform((attributes): Item => unmarshall(attributes, { wrapNumbers: Number })),
);

const Got = z.object({ Item: z.optional(StoredItem) });

/** Reads an item, strongly consistent. @throws TransientError StoreUnavailable */
export async function getItem({ client, tableName }: DynamoTable, key: Item): Promise<Item | undefined> {
  const input = { TableName: tableName, Key: attributesOf(key), ConsistentRead: true };
  return (await client.call('GetItem', input, Got)).Item;
}

const Found = z.object({ Items: z.array(StoredItem), LastEvaluatedKey: z.optional(StoredItem) });

/** Reads a batch of an index, eventually consistent. @throws TransientError StoreUnavailable */
export async function queryItems(
  { client, tableName }: DynamoTable,
  query: IndexQuery,
): Promise<z.infer<typeof Found>> {
  const { ExpressionAttributeValues, ExclusiveStartKey, ...asked } = query;
  const input = {
    ...asked,
    TableName: tableName,
    ExpressionAttributeValues: attributesOf(ExpressionAttributeValues),
    ...(ExclusiveStartKey === undefined ? {} : { ExclusiveStartKey: attributesOf(ExclusiveStartKey) }),
  };
  return await client.call('Query', input, Found);
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

const BatchGot = z.object({
  Responses: z.optional(z.record(z.string(), z.array(StoredItem))),
  UnprocessedKeys: z.optional(z.record(z.string(), z.object({ Keys: z.array(Attributes) }))),
});

async function getBatch({ client, tableName }: DynamoTable, keys: Item[]): Promise<Item[]> {
  const items: Item[] = [];
  let left = keys.map(attributesOf);
  for (let attempt = 0; attempt < maxBatchAttempts; attempt += 1) {
    if (attempt > 0) await sleep(Math.random() * backoffBaseMs * 2 ** (attempt - 1));
    const input = { RequestItems: { [tableName]: { Keys: left, ConsistentRead: true } } };
    const output = await client.call('BatchGetItem', input, BatchGot);
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
  const input = {
    TableName: tableName,
    Item: attributesOf(item),
    ConditionExpression: 'attribute_not_exists(#key)',
    ExpressionAttributeNames: { '#key': keyName },
  };
  const output = await ifConditionHolds(() => client.call('PutItem', input, z.object({})));
  return output !== undefined;
}

const Updated = z.object({ Attributes: StoredItem });

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
  const input = {
    ...update,
    TableName: tableName,
    Key: attributesOf(update.Key),
    ExpressionAttributeValues: attributesOf(update.ExpressionAttributeValues),
    ReturnValues: 'ALL_NEW',
  };
  const output = await ifConditionHolds(() => client.call('UpdateItem', input, Updated));
  return output?.Attributes;
}

// DynamoDB could send the item back with the refusal, but the local DynamoDB cannot: who needs it reads it.
async function ifConditionHolds<Output>(write: () => Promise<Output>): Promise<Output | undefined> {
  try {
    return await write();
  } catch (error) {
    if (isAwsError(error, 'ConditionalCheckFailedException')) return undefined;
    throw error;
  }
}

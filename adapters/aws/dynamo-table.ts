import { setTimeout as sleep } from 'node:timers/promises';
import {
  ConditionalCheckFailedException,
  DynamoDBClient,
  TransactionCanceledException,
} from '@aws-sdk/client-dynamodb';
import {
  BatchGetCommand,
  DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  paginateQuery,
  paginateScan,
  TransactWriteCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import { TransientError } from '../../core/errors/errors.ts';
import { type AwsSettings, clientSettings, davitErrors } from './client-settings.ts';

/** A stored item: unchecked until a schema has parsed it. */
export type Item = Record<string, unknown>;

/** A client of DynamoDB. A function has one for all tables: a client's connections are its own. */
export type DynamoClient = DynamoDBDocumentClient;

/** One table, and the client that reaches it. */
export interface DynamoTable {
  client: DynamoClient;
  tableName: string;
}

/** An update and its condition. */
export interface ConditionalUpdate {
  Key: Item;
  UpdateExpression: string;
  ConditionExpression: string;
  ExpressionAttributeNames: Record<string, string>;
  /** @default the expressions name no values */
  ExpressionAttributeValues?: Item;
}

/** A query of a table or its index. */
export interface ItemQuery {
  /** @default the table itself */
  IndexName?: string;
  /** Tables support consistent reads, indexes do not. @default eventually consistent */
  ConsistentRead?: boolean;
  KeyConditionExpression: string;
  ExpressionAttributeNames: Record<string, string>;
  ExpressionAttributeValues: Item;
  ScanIndexForward: boolean;
}

/**
 * How records become items. The SDK tells an object from an instance of a class by its `constructor`, and would refuse
 * an object whose caller chose a key of this name.
 */
export const marshallOptions = { removeUndefinedValues: true, convertClassInstanceToMap: true } as const;

/** Makes a client of DynamoDB. It leaves out fields that are undefined. */
export function createDynamoClient(settings?: AwsSettings): DynamoClient {
  const client = new DynamoDBClient(clientSettings(settings));
  client.middlewareStack.use(davitErrors());
  return DynamoDBDocumentClient.from(client, {
    marshallOptions,
    // Without this setting, a number that JavaScript cannot represent throws, and one such item fails its whole batch. No
    // schema accepts such a number.
    unmarshallOptions: { wrapNumbers: Number },
  });
}

/** Reads an item, strongly consistent. @throws TransientError StoreUnavailable */
export async function getItem({ client, tableName }: DynamoTable, key: Item): Promise<Item | undefined> {
  const { Item } = await client.send(new GetCommand({ TableName: tableName, Key: key, ConsistentRead: true }));
  return Item;
}

/**
 * Reads the items of a table or an index, a batch at a time.
 *
 * @param batchItems how many are read at a time; DynamoDB ends a batch at 1 MB in any case
 * @throws TransientError StoreUnavailable
 */
export async function* queryItems(table: DynamoTable, query: ItemQuery, batchItems: number): AsyncGenerator<Item> {
  for await (const items of queryPages(table, query, batchItems)) yield* items;
}

/** Reads batches of items, as `queryItems` does. @param startKey the item to begin after */
export async function* queryPages(
  { client, tableName }: DynamoTable,
  query: ItemQuery,
  batchItems: number,
  startKey?: Item,
): AsyncGenerator<Item[]> {
  const pages = paginateQuery(
    { client, pageSize: batchItems, startingToken: startKey },
    { ...query, TableName: tableName },
  );
  for await (const { Items = [] } of pages) yield Items;
}

/**
 * Reads every item of a table, strongly consistent: for a table of few items.
 *
 * @throws TransientError StoreUnavailable
 */
export async function scanItems({ client, tableName }: DynamoTable): Promise<Item[]> {
  const items: Item[] = [];
  const pages = paginateScan({ client }, { TableName: tableName, ConsistentRead: true });
  for await (const page of pages) items.push(...(page.Items ?? []));
  return items;
}

const partitionBatchItems = 500;

/**
 * Reads the items of one partition of the jobs table, strongly consistent, in the order of their sort key.
 *
 * @throws TransientError StoreUnavailable
 */
export function queryPartition(table: DynamoTable, partition: string): AsyncGenerator<Item> {
  const query = {
    ConsistentRead: true,
    KeyConditionExpression: '#partition = :partition',
    ExpressionAttributeNames: { '#partition': 'partition' },
    ExpressionAttributeValues: { ':partition': partition },
    ScanIndexForward: true,
  };
  return queryItems(table, query, partitionBatchItems);
}

/** @see https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_BatchGetItem.html */
const maxBatchKeys = 100;
const maxBatchAttempts = 8;
const backoffBaseMs = 50;

/**
 * Reads many items, in no order. Skips keys without an item. Asks again for what DynamoDB leaves unprocessed (more than
 * 16 MB, or throttled), backed off with full jitter: up to 50, 100, … 3200 ms, 6.35 s in all. The SDK leaves that to its
 * callers.
 *
 * @param isConsistent whether the reads are strongly consistent; others cost half as much. @default true
 * @throws TransientError StoreUnavailable
 */
export async function getItems(
  table: DynamoTable,
  keys: readonly Item[],
  { isConsistent = true } = {},
): Promise<Item[]> {
  const items: Item[] = [];
  for (let from = 0; from < keys.length; from += maxBatchKeys) {
    items.push(...(await getBatch(table, keys.slice(from, from + maxBatchKeys), isConsistent)));
  }
  return items;
}

async function getBatch({ client, tableName }: DynamoTable, keys: Item[], isConsistent: boolean): Promise<Item[]> {
  const items: Item[] = [];
  let left = keys;
  for (let attempt = 0; attempt < maxBatchAttempts; attempt += 1) {
    if (attempt > 0) await sleep(Math.random() * backoffBaseMs * 2 ** (attempt - 1));
    const RequestItems = { [tableName]: { Keys: left, ConsistentRead: isConsistent } };
    const output = await client.send(new BatchGetCommand({ RequestItems }));
    items.push(...(output.Responses?.[tableName] ?? []));
    left = output.UnprocessedKeys?.[tableName]?.Keys ?? [];
    if (left.length === 0) return items;
  }
  throw new TransientError('StoreUnavailable', `DynamoDB BatchGetItem: ${left.length} keys were never processed`);
}

/**
 * Puts an item if there is none with its key.
 *
 * @param keyName one of the table's key attributes
 * @returns whether it was put
 * @throws TransientError StoreUnavailable
 */
export async function putNewItem({ client, tableName }: DynamoTable, keyName: string, item: Item): Promise<boolean> {
  const put = new PutCommand({
    TableName: tableName,
    Item: item,
    ConditionExpression: 'attribute_not_exists(#key)',
    ExpressionAttributeNames: { '#key': keyName },
  });
  const output = await ifConditionHolds(() => client.send(put));
  return output !== undefined;
}

/**
 * Replaces an item that has these attributes.
 *
 * @param expected attributes and the values that they must have
 * @returns whether it was put
 * @throws TransientError StoreUnavailable
 */
export async function putItemIf({ client, tableName }: DynamoTable, item: Item, expected: Item): Promise<boolean> {
  const names = Object.keys(expected);
  const put = new PutCommand({
    TableName: tableName,
    Item: item,
    ConditionExpression: names.map((_, index) => `#name${index} = :value${index}`).join(' AND '),
    ExpressionAttributeNames: Object.fromEntries(names.map((name, index) => [`#name${index}`, name])),
    ExpressionAttributeValues: Object.fromEntries(names.map((name, index) => [`:value${index}`, expected[name]])),
  });
  const output = await ifConditionHolds(() => client.send(put));
  return output !== undefined;
}

/**
 * Updates an item if the condition holds.
 *
 * @returns the updated item; undefined when the condition does not hold
 * @throws TransientError StoreUnavailable
 */
export async function updateItem(
  { client, tableName }: DynamoTable,
  update: ConditionalUpdate,
): Promise<Item | undefined> {
  const command = new UpdateCommand({ ...update, TableName: tableName, ReturnValues: 'ALL_NEW' });
  const output = await ifConditionHolds(() => client.send(command));
  return output?.Attributes;
}

/** One write of a transaction: of an item that must be there, must not be there, or must have a revision. */
export type WriteOfTwo =
  | { put: Item; ifThere: false }
  | { put: Item; ifRevision: number }
  | { delete: Item; ifThere: true };

/**
 * Makes two writes, or none.
 *
 * @returns `firstRefused` when the first one's condition does not hold; `otherRefused` when only the second one's does not,
 *   or another transaction was under way
 * @throws TransientError StoreUnavailable
 * @see https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_TransactWriteItems.html
 */
export async function writeTwo(
  { client, tableName }: DynamoTable,
  ...writes: [WriteOfTwo, WriteOfTwo]
): Promise<'written' | 'firstRefused' | 'otherRefused'> {
  try {
    await client.send(new TransactWriteCommand({ TransactItems: writes.map((write) => partOf(tableName, write)) }));
    return 'written';
  } catch (error) {
    if (!(error instanceof TransactionCanceledException)) throw error;
    const codes = (error.CancellationReasons ?? []).map(({ Code }) => Code);
    if (codes[0] === 'ConditionalCheckFailed') return 'firstRefused';
    const isKnown = codes.some((code) => code === 'ConditionalCheckFailed' || code === 'TransactionConflict');
    if (isKnown) return 'otherRefused';
    throw new TransientError('StoreUnavailable', `DynamoDB TransactWrite: ${error.message}`, {}, { cause: error });
  }
}

function partOf(tableName: string, write: WriteOfTwo) {
  const names = { '#key': 'partition' };
  const there = { ConditionExpression: 'attribute_exists(#key)', ExpressionAttributeNames: names };
  if ('delete' in write) return { Delete: { TableName: tableName, Key: write.delete, ...there } };
  if ('ifThere' in write) {
    const absent = { ConditionExpression: 'attribute_not_exists(#key)', ExpressionAttributeNames: names };
    return { Put: { TableName: tableName, Item: write.put, ...absent } };
  }
  return {
    Put: {
      TableName: tableName,
      Item: write.put,
      ConditionExpression: '#revision = :revision',
      ExpressionAttributeNames: { '#revision': 'revision' },
      ExpressionAttributeValues: { ':revision': write.ifRevision },
    },
  };
}

// DynamoDB can send the item back with the refusal, but the local DynamoDB cannot: a caller that needs it reads it.
async function ifConditionHolds<Output>(write: () => Promise<Output>): Promise<Output | undefined> {
  try {
    return await write();
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return undefined;
    throw error;
  }
}

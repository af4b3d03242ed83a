import { promisify } from 'node:util';
import { create, type Store } from 'dynalite/db/index.js';
import { checkTypes, checkValidations } from 'dynalite/validations/index.js';
import * as z from 'zod';
import type { AwsOperation } from '../aws-json-server.ts';
import { AwsServiceError } from '../aws-service-error.ts';
import { readLess } from './fewer-reads.ts';
import { transactWrite } from './transact-write.ts';

interface Action {
  default: (store: Store, input: object, done: (error: Error | null, output?: object) => void) => void;
}

interface Validation {
  types: object;
  custom?: unknown;
}

/** An operation on a store. It changes its input. */
type StoreOperation = (store: Store) => AwsOperation;

async function load(action: string): Promise<StoreOperation> {
  const { default: run }: Action = await import(`dynalite/actions/${action}.js`);
  const { types, custom }: Validation = await import(`dynalite/validations/${action}.js`);
  return (store) => async (input) => {
    try {
      const checked = checkTypes(input, types);
      checkValidations(checked, types, custom, store);
      return await promisify(run)(store, checked);
    } catch (error) {
      throw asServiceError(error);
    }
  };
}

/** The operations of DynamoDB that davit needs, with dynalite's behaviour. */
export const operations = {
  BatchGetItem: await load('batchGetItem'),
  CreateTable: await load('createTable'),
  DeleteItem: await load('deleteItem'),
  DescribeTable: await load('describeTable'),
  GetItem: await load('getItem'),
  PutItem: await load('putItem'),
  Query: await load('query'),
  Scan: await load('scan'),
  UpdateItem: await load('updateItem'),
};

/** Opens dynalite's store. @param path the directory of its LevelDB. Without one, the store is in memory */
export function openStore(path: string | undefined): Store {
  const instant = { createTableMs: 0, deleteTableMs: 0, updateTableMs: 0 };
  const store = create({ ...instant, ...(path === undefined ? {} : { path }) });
  readLess(store);
  return store;
}

/**
 * Makes the operations of a server, by their names. While a transaction is under way, the others wait for it.
 *
 * @see https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_Operations_Amazon_DynamoDB.html
 */
export function dynamoDbOperations(store: Store): Record<string, AwsOperation> {
  const single = Object.fromEntries(Object.entries(operations).map(([name, on]) => [name, on(store)]));
  const transact = transactWrite({
    put: operations.PutItem(store),
    delete: operations.DeleteItem(store),
  });
  let lastTransaction: Promise<unknown> = Promise.resolve();
  const waiting =
    (run: AwsOperation): AwsOperation =>
    (input) =>
      lastTransaction.then(() => run(input));
  return {
    ...Object.fromEntries(Object.entries(single).map(([name, run]) => [name, waiting(run)])),
    TransactWriteItems: (input) => {
      const result = lastTransaction.then(() => transact(input));
      lastTransaction = result.catch(() => undefined);
      return result;
    },
  };
}

/** dynalite's errors carry DynamoDB's answer, with a type such as `com.amazonaws.dynamodb.v20120810#SomeException`. */
const Refusal = z.object({
  statusCode: z.int(),
  body: z.object({ __type: z.string(), message: z.string().optional(), Message: z.string().optional() }),
});

function asServiceError(error: unknown): unknown {
  const { data: refusal } = Refusal.safeParse(error);
  if (refusal === undefined) return error;
  const { __type: type, message, Message } = refusal.body;
  return new AwsServiceError(type.slice(type.indexOf('#') + 1), message ?? Message ?? '', refusal.statusCode);
}

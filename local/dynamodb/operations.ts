import { promisify } from 'node:util';
import { create, type Store } from 'dynalite/db/index.js';
import { checkTypes, checkValidations } from 'dynalite/validations/index.js';
import * as z from 'zod';
import type { AwsOperation } from '../aws-json-server.ts';
import { AwsServiceError } from '../aws-service-error.ts';

const names = [
  'BatchGetItem',
  'CreateTable',
  'DeleteItem',
  'DescribeTable',
  'GetItem',
  'PutItem',
  'Query',
  'Scan',
  'UpdateItem',
] as const;

interface Action {
  default: (store: Store, input: object, done: (error: Error | null, output?: object) => void) => void;
}

interface Validation {
  types: object;
  custom?: unknown;
}

const loaded = await Promise.all(
  names.map(async (name) => {
    const file = `${name.charAt(0).toLowerCase()}${name.slice(1)}.js`;
    const action: Action = await import(`dynalite/actions/${file}`);
    const validation: Validation = await import(`dynalite/validations/${file}`);
    return { name, run: promisify(action.default), validation };
  }),
);

/** Opens dynalite's store. @param path the directory of its LevelDB. Without one, the store is in memory */
export function openStore(path: string | undefined): Store {
  const instant = { createTableMs: 0, deleteTableMs: 0, updateTableMs: 0 };
  return create({ ...instant, ...(path === undefined ? {} : { path }) });
}

/**
 * Makes the operations of DynamoDB that this server supports, with dynalite's behaviour.
 *
 * @see https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_Operations_Amazon_DynamoDB.html
 */
export function dynamoDbOperations(store: Store): Record<string, AwsOperation> {
  return Object.fromEntries(
    loaded.map(({ name, run, validation: { types, custom } }): [string, AwsOperation] => [
      name,
      async (input) => {
        try {
          const checked = checkTypes(input, types);
          checkValidations(checked, types, custom, store);
          return await run(store, checked);
        } catch (error) {
          throw asServiceError(error);
        }
      },
    ]),
  );
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

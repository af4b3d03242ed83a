import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { CreateTableCommandInput } from '@aws-sdk/client-dynamodb';
import type { Store } from 'dynalite/db/index.js';
import * as z from 'zod';
import { AwsServiceError } from '../aws-service-error.ts';
import { operations } from './operations.ts';

const activeWithinMs = 20_000;
const pauseMs = 10;

const Description = z.object({
  Table: z.object({ TableStatus: z.string(), KeySchema: z.array(z.record(z.string(), z.string())) }),
});

/**
 * Creates the tables that do not exist yet, and waits until all are ACTIVE. Calls the operations without an SDK's
 * client, which takes a tenth of a second to load.
 *
 * @throws Error if a table exists with another key. AwsServiceError if a definition is not valid.
 */
export async function createTables(store: Store, definitions: readonly CreateTableCommandInput[]): Promise<void> {
  await Promise.all(definitions.map((definition) => createTable(store, definition)));
}

async function createTable(store: Store, definition: CreateTableCommandInput): Promise<void> {
  const { TableName, KeySchema } = definition;
  try {
    // The operation changes its input.
    await operations.CreateTable(store)(structuredClone(definition));
  } catch (error) {
    if (!(error instanceof AwsServiceError && error.name === 'ResourceInUseException')) throw error;
  }
  const found = await activeTable(store, TableName);
  if (isDeepStrictEqual(found.KeySchema, KeySchema)) return;
  const [expectedKey, foundKey] = [KeySchema, found.KeySchema].map((key) => JSON.stringify(key));
  throw new Error(`table ${TableName}: expected the key ${expectedKey}, found ${foundKey}`);
}

async function activeTable(store: Store, TableName: string | undefined) {
  const untilMs = performance.now() + activeWithinMs;
  for (;;) {
    const { Table } = Description.parse(await operations.DescribeTable(store)({ TableName }));
    if (Table.TableStatus === 'ACTIVE') return Table;
    if (performance.now() > untilMs) throw new Error(`table ${TableName}: is ${Table.TableStatus}, not ACTIVE`);
    await sleep(pauseMs);
  }
}

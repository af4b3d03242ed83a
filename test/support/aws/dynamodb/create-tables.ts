import { setTimeout as sleep } from 'node:timers/promises';
import type { CreateTableCommandInput } from '@aws-sdk/client-dynamodb';
import type { Store } from 'dynalite/db/index.js';
import * as z from 'zod';
import { operations } from './operations.ts';

const activeWithinMs = 20_000;
const pauseMs = 10;

const Description = z.object({ Table: z.object({ TableStatus: z.string() }) });

/**
 * Creates tables, and waits until all are ACTIVE. Calls the operations without an SDK's client, which takes a tenth of a
 * second to load.
 *
 * @throws AwsServiceError if a table exists, or a definition is not valid
 */
export async function createTables(store: Store, definitions: readonly CreateTableCommandInput[]): Promise<void> {
  await Promise.all(definitions.map((definition) => createTable(store, definition)));
}

async function createTable(store: Store, definition: CreateTableCommandInput): Promise<void> {
  // The operation changes its input.
  await operations.CreateTable(store)(structuredClone(definition));
  const { TableName } = definition;
  const untilMs = performance.now() + activeWithinMs;
  for (;;) {
    const { Table } = Description.parse(await operations.DescribeTable(store)({ TableName }));
    if (Table.TableStatus === 'ACTIVE') return;
    if (performance.now() > untilMs) throw new Error(`table ${TableName}: is ${Table.TableStatus}, not ACTIVE`);
    await sleep(pauseMs);
  }
}

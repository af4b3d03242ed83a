import { promisify } from 'node:util';
import type { CreateTableCommandInput } from '@aws-sdk/client-dynamodb';
import type { Store } from 'dynalite/db/index.js';

/**
 * Gives a table of an earlier version the indexes that it lacks, empty: dynalite's UpdateTable adds none.
 *
 * @see rebuild-indexes.ts, which fills them
 */
export async function addIndexes(store: Store, definition: CreateTableCommandInput): Promise<void> {
  const { TableName = '', AttributeDefinitions = [], GlobalSecondaryIndexes: wanted = [] } = definition;
  const table = await promisify(store.getTable.bind(store))(TableName);
  const { GlobalSecondaryIndexes: known = [] } = table;
  const names = new Set(known.map(({ IndexName }) => IndexName));
  const missing = wanted.flatMap(({ IndexName = '', ...index }) =>
    names.has(IndexName)
      ? []
      : { ...index, IndexName, IndexStatus: 'ACTIVE', ProvisionedThroughput: { NumberOfDecreasesToday: 0 } },
  );
  if (missing.length === 0) return;
  const indexed = { ...table, AttributeDefinitions, GlobalSecondaryIndexes: [...known, ...missing] };
  await promisify(store.tableDb.put)(TableName, indexed);
}

import type { DynamoTable } from '../../adapters/aws/dynamo-table.ts';
import { jobsTable } from '../../adapters/aws/table-definitions.ts';
import { openStore, type Store } from '../../local/store/open-store.ts';
import { startDynamoDb } from '../support/start-dynamo-db.ts';

/**
 * Starts DynamoDB until the file's tests are over.
 *
 * @returns `inEach`, which makes the rows of a port's contract, each a database's name and what makes an empty store there;
 * and what makes a table
 */
export async function startDatabases() {
  const { createTable, stop } = await startDynamoDb();
  afterAll(stop);
  const inEach = <Port>(
    inSqlite: (store: Store) => Port,
    inDynamoDb: (table: DynamoTable) => Port,
    definition = jobsTable,
  ): [string, () => Promise<Port>][] => [
    ['SQLite', async () => inSqlite(openStore(':memory:'))],
    ['DynamoDB', async () => inDynamoDb(await createTable(definition))],
  ];
  return { createTable, inEach };
}

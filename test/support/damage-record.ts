import { NumberValue } from '@aws-sdk/lib-dynamodb';
import { type DynamoTable, updateItem } from '../../adapters/aws/dynamo-table.ts';
import type { Store } from '../../local/store/open-store.ts';

/** Makes a launch's record malformed, as a manual edit may. The record keeps its place in the table's index. */
export async function damageRecord(table: DynamoTable, launchId: string): Promise<void> {
  const damaged = await updateItem(table, {
    Key: { launchId },
    UpdateExpression: 'SET #plan = :malformed, #expires = :huge',
    ConditionExpression: 'attribute_exists(launchId)',
    ExpressionAttributeNames: { '#plan': 'plan', '#expires': 'expiresAtEpochSeconds' },
    // Beyond JavaScript's safe integers, and not an integer.
    ExpressionAttributeValues: { ':malformed': 'malformed', ':huge': NumberValue.from('12345678901234567890.5') },
  });
  if (damaged === undefined) throw new Error(`${launchId} has no record`);
}

/** Does the same to a launch's row in a store of SQLite. */
export function damageRow({ sql }: Pick<Store, 'sql'>, launchId: string): void {
  const { changes } = sql.run`
    UPDATE launch SET item = json_set(item, '$.plan', 'malformed', '$.expiresAtEpochSeconds', 12345678901234567890.5)
    WHERE launch_id = ${launchId}`;
  if (changes === 0) throw new Error(`${launchId} has no record`);
}

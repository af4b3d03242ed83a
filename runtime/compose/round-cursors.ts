import { createDynamoRoundCursors } from '../../adapters/aws/create-dynamo-round-cursors.ts';
import type { DynamoClient } from '../../adapters/aws/dynamo-table.ts';
import type { RoundCursors } from '../../ports/round-cursors.ts';
import { environment } from '../environment.ts';

/** Composes the store of rounds' cursors, from the environment. */
export function composeRoundCursors(client: DynamoClient): RoundCursors {
  return createDynamoRoundCursors({ client, tableName: environment('DAVIT_JOBS_TABLE') });
}

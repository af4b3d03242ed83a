import { createDynamoPollCursors } from '../../adapters/aws/create-dynamo-poll-cursors.ts';
import type { DynamoClient } from '../../adapters/aws/dynamo-table.ts';
import type { PollCursors } from '../../ports/poll-cursors.ts';
import { environment } from '../environment.ts';

/** Composes the store of how far CI systems have been polled, from the environment. */
export function composePollCursors(client: DynamoClient): PollCursors {
  return createDynamoPollCursors({ client, tableName: environment('DAVIT_JOBS_TABLE') });
}

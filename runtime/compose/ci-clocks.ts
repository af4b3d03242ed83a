import { createDynamoCiClocks } from '../../adapters/aws/create-dynamo-ci-clocks.ts';
import type { DynamoClient } from '../../adapters/aws/dynamo-table.ts';
import type { CiClocks } from '../../ports/ci-clocks.ts';
import { environment } from '../environment.ts';

/** Composes the store of how far CI systems' clocks are off, from the environment. */
export function composeCiClocks(client: DynamoClient): CiClocks {
  return createDynamoCiClocks({ client, tableName: environment('DAVIT_JOBS_TABLE') });
}

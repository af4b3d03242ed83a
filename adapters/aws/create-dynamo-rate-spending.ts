import { RateSpent } from '../../core/ci/rate-budget.ts';
import type { RateSpending } from '../../ports/rate-spending.ts';
import { createDynamoCiNote } from './dynamo-ci-note.ts';
import type { DynamoTable } from './dynamo-table.ts';

/** Stores in the jobs table the requests that reconciling has used. A newer count stays: the next answer's headers have the rest. */
export function createDynamoRateSpending(table: DynamoTable): RateSpending {
  return createDynamoCiNote(table, 'rate', RateSpent);
}

import { RateSpent } from '../../core/ci/rate-budget.ts';
import * as z from '../../core/zod.ts';
import type { RateSpending } from '../../ports/rate-spending.ts';
import { type DynamoTable, getItem, type Item, updateItem } from './dynamo-table.ts';

const retentionSeconds = 24 * 3600;

const SpentItem = z.object({ spent: RateSpent });

/** Stores in the jobs table the requests that reconciling has used: one item for each CI system. */
export function createDynamoRateSpending(table: DynamoTable): RateSpending {
  return {
    get: async (ciSystem) => {
      const item = await getItem(table, keyOf(ciSystem));
      return item === undefined ? undefined : SpentItem.parse(item).spent;
    },
    keep: (ciSystem, spent) => keep(table, ciSystem, spent),
  };
}

function keyOf(ciSystem: string): Item {
  return { partition: `${ciSystem}/rate`, item: 'rate' };
}

async function keep(table: DynamoTable, ciSystem: string, spent: RateSpent): Promise<void> {
  // Two reconciles at once; the later one's count stays, and the other's requests are in the next answer's headers:
  //   A   ends at 10:00:20 ───────────────────────────► 10:00:25 > 10:00:20: refused
  //   B                      ends at 10:00:25 ──► kept
  await updateItem(table, {
    Key: keyOf(ciSystem),
    UpdateExpression: 'SET #spent = :spent, #expiresAt = :expiresAt',
    ConditionExpression: 'attribute_not_exists(#spent) OR #spent.#at <= :at',
    ExpressionAttributeNames: { '#spent': 'spent', '#at': 'atEpochMs', '#expiresAt': 'expiresAtEpochSeconds' },
    ExpressionAttributeValues: {
      ':spent': spent,
      ':at': spent.atEpochMs,
      ':expiresAt': Math.ceil(spent.atEpochMs / 1000) + retentionSeconds,
    },
  });
}

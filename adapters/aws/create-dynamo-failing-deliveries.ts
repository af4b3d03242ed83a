import { deliveryRetentionMs, FailingDelivery } from '../../core/ci/failing-delivery.ts';
import * as z from '../../core/zod.ts';
import type { FailingDeliveries } from '../../ports/failing-deliveries.ts';
import { type DynamoTable, queryPartition } from './dynamo-table.ts';
import { writeUnlessNewer } from './unless-newer.ts';

const DeliveryItem = z.object({ delivery: FailingDelivery });

/** Stores the webhooks that have not arrived yet in the jobs table: one item for each. A settled one expires at once. */
export function createDynamoFailingDeliveries(table: DynamoTable): FailingDeliveries {
  return {
    list: async (ciSystem) => {
      const found: FailingDelivery[] = [];
      for await (const item of queryPartition(table, partitionOf(ciSystem))) {
        const { delivery } = DeliveryItem.parse(item);
        if (delivery.isSettled !== true) found.push(delivery);
      }
      return found;
    },
    keep: async (ciSystem, delivery, atEpochMs) => {
      const keptMs = delivery.isSettled === true ? 0 : deliveryRetentionMs;
      await writeUnlessNewer(table, {
        Key: { partition: partitionOf(ciSystem), item: delivery.guid },
        attributes: { delivery, keptAtEpochMs: atEpochMs },
        timeAt: ['keptAtEpochMs'],
        atEpochMs,
        expiresAtEpochMs: atEpochMs + keptMs,
      });
    },
  };
}

function partitionOf(ciSystem: string): string {
  return `${ciSystem}/deliveries`;
}

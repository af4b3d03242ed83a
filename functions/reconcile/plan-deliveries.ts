import type { PlannedRepair } from './planned-repair.ts';
import type { RoundView } from './round-view.ts';

const dayMs = 24 * 3_600_000;
/** The first attempt, and three more. */
const mostAttemptsOfDelivery = 4;

/** Plans to redeliver webhooks that never arrived: each at most three times, and none older than a day. */
export function planDeliveries({ failedDeliveries, nowEpochMs }: RoundView): PlannedRepair[] {
  return failedDeliveries
    .filter(
      ({ event, attempts, attemptedAtEpochMs }) =>
        event === 'workflow_job' && attempts < mostAttemptsOfDelivery && nowEpochMs - attemptedAtEpochMs <= dayMs,
    )
    .map((delivery) => ({ kind: 'redeliver', delivery }));
}

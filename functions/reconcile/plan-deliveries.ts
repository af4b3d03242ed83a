import { type FailingDelivery, isGivenUp, noteAttempts } from '../../core/ci/failing-delivery.ts';
import type { PlannedRepair } from './planned-repair.ts';
import type { RoundView } from './round-view.ts';

/** How many deliveries one round has repeated, oldest first. */
const mostRepeated = 100;

/** Plans to remember the webhooks that did not arrive, and to have those repeated whose time has come. */
export function planDeliveries({ deliveries, nowEpochMs }: RoundView): PlannedRepair[] {
  const { failing, attempts } = deliveries;
  const changed = noteAttempts(failing, attempts, 'workflow_job');
  const now = new Map([...failing, ...changed].map((delivery) => [delivery.guid, delivery]));
  const open = [...now.values()].filter(({ isSettled }) => isSettled !== true);
  const givenUp = open.filter((each) => isGivenUp(each, nowEpochMs)).map((each) => ({ ...each, isSettled: true }));
  const due = open
    .filter((each) => each.repeatAtEpochMs <= nowEpochMs && !isGivenUp(each, nowEpochMs))
    .toSorted((one, other) => one.firstAtEpochMs - other.firstAtEpochMs);
  return [
    ...[...changed, ...givenUp].map(track),
    ...due.slice(0, mostRepeated).map((delivery): PlannedRepair => ({ kind: 'redeliver', delivery })),
  ];
}

function track(delivery: FailingDelivery): PlannedRepair {
  return { kind: 'track', delivery };
}

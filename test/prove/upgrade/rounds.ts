import { setTimeout as sleep } from 'node:timers/promises';
import type { AwsTestRuntime } from '../../support/start-aws-test-runtime.ts';
import { askAboutLaunches, mostRounds, type Seen, unsettled, type Violation } from '../../support/unsettled.ts';

/** No schedule sweeps or reconciles: the rounds do. Only probes say that a cluster answers. */
export const ownRounds = { sweepIntervalMs: 3_600_000, reconcileIntervalMs: 3_600_000, probeIntervalMs: 60_000 };
/** How long after a round the schedules would begin the next one. */
const roundMs = 60_000;
const lookMs = 200;

/** What must come to rest. */
export interface Restless {
  launchIds: readonly string[];
  /** The launches that may stay connected, because nobody ends them. */
  lasting: readonly string[];
  /** The keys of the limits that count them. */
  limits: readonly string[];
  /** What else is not at rest. */
  others: readonly Violation[];
}

/**
 * Begins rounds until everything is at rest, or there were as many as it may take.
 *
 * @param onTop the rounds that davit waits on purpose
 * @returns what is not at rest
 */
export async function unsettledAfterRounds(
  davit: AwsTestRuntime,
  restless: () => Restless,
  onTop = 0,
): Promise<Violation[]> {
  let violations: Violation[] = [];
  for (let rounds = 1; rounds <= mostRounds + onTop; rounds += 1) {
    const nextMs = performance.now() + roundMs;
    await Promise.all([davit.runtime.invoke('sweep', { graceSeconds: 0 }), davit.runtime.invoke('reconcile', {})]);
    do {
      const { others, lasting, ...places } = restless();
      violations = [...unsettled(await look(davit, places), lasting), ...others];
      if (violations.length === 0) return [];
      await sleep(lookMs);
    } while (performance.now() < nextMs);
  }
  return violations;
}

async function look(
  { runtime, launches, history }: AwsTestRuntime,
  { launchIds, limits }: Pick<Restless, 'launchIds' | 'limits'>,
): Promise<Seen> {
  const objects = launchIds.flatMap((launchId) =>
    history.left(launchId).map((text) => {
      const [kind = '', name = ''] = text.split(' ');
      return { launchId, kind, name };
    }),
  );
  const slotsOf = async (limit: string) =>
    [...(await runtime.ports.slots.get(limit)).values()].map(({ launchId }) => ({ launchId, limit }));
  const slots = (await Promise.all(limits.map(slotsOf))).flat();
  const executions = [...(await runtime.ports.executions.running())];
  return { objects, executions, slots, ...(await askAboutLaunches(launches, launchIds)) };
}

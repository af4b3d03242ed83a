import { inOrder } from '../../core/limits/admission-order.ts';
import { limitWords, type SlotLimit } from '../../core/limits/slot-limits.ts';
import { type AdmitDeps, listWaitingForSlots, readHeld } from '../../logic/lifecycle/admit-waiting.ts';
import type { Jobs } from '../../ports/jobs.ts';
import type { Slots } from '../../ports/slots.ts';

/** The dependencies of finding positions. */
export type LimitPositionsDeps = Pick<AdmitDeps, 'ciSystems' | 'profiles' | 'agentLimits'> & {
  jobs: Pick<Jobs, 'listLimited' | 'getMany'>;
  slots: Pick<Slots, 'get'>;
};

/** The limit that a job waits for, and the job's position in its queue. */
export interface LimitPosition {
  /** `12 of 12 agents of acme/app`. */
  words: string;
  /** From 1: the next slot is for it. */
  position: number;
}

/**
 * Finds the position of every job that waits for a slot, by the job's key: the order in which they get slots if no other
 * job comes.
 *
 * @throws TransientError StoreUnavailable
 */
export async function limitPositions(deps: LimitPositionsDeps): Promise<ReadonlyMap<string, LimitPosition>> {
  const waiting = await listWaitingForSlots(deps);
  const held = await readHeld(deps, waiting);
  const before = new Map<string, number>();
  const positions = new Map<string, LimitPosition>();
  for (const { jobKey, limits } of inOrder(waiting, held)) {
    for (const { key } of limits) before.set(key, (before.get(key) ?? 0) + 1);
    const isFull = ({ key, maxAgents }: SlotLimit) => (held.get(key)?.length ?? 0) >= maxAgents;
    const limit = limits.find(isFull) ?? limits[0];
    if (limit === undefined) continue;
    const words = limitWords(limit, held.get(limit.key)?.length ?? 0);
    positions.set(jobKey, { words, position: before.get(limit.key) ?? 1 });
  }
  return positions;
}

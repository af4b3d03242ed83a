import * as z from '../zod.ts';
import { scopeText } from './ci-scope.ts';
import type { Join } from './join.ts';
import { EpochMs } from './launch-state.ts';

/**
 * Names a pool: the agents that the CI system cannot tell apart. Labels count in any order and, as GitHub compares them,
 * in any case; two pools that differ in case alone share a name and nothing else, on a system that tells them apart.
 */
export function poolKeyOf({ ciSystem, scope, runnerGroup = '', labels }: Join): string {
  return JSON.stringify([ciSystem, scopeText(scope), runnerGroup, labels.toSorted()]);
}

/** What one reconcile saw of a pool. */
export const PoolLook = z.object({
  /** Queued jobs without an agent for them. Below 0: agents without a job for them. */
  missing: z.int(),
  atEpochMs: EpochMs,
});
export type PoolLook = z.infer<typeof PoolLook>;

/**
 * Decides what to do about a pool: only as far as two looks agree. Events overtake lists, so one look proves nothing.
 *
 * @param before undefined when the last reconcile did not see the pool, or saw it too long ago
 */
export function agreedMissing(before: PoolLook | undefined, missing: number): { launch: number; retire: number } {
  if (before === undefined) return { launch: 0, retire: 0 };
  return {
    launch: Math.max(0, Math.min(before.missing, missing)),
    retire: Math.max(0, Math.min(-before.missing, -missing)),
  };
}

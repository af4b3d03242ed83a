import { type CiScope, scopeText } from '../ci/ci-scope.ts';
import type { Join } from '../ci/join.ts';
import { EpochMs } from '../epoch-ms.ts';
import * as z from '../zod.ts';

/**
 * Names a pool: the agents that the CI system cannot tell apart. Ignores the order of labels, and the case of owners and
 * repositories, as CI systems do. An agent that is pinned to a job is in the pool of that job: it is surplus when the job
 * needs none.
 */
export function poolKeyOf({ ciSystem, scope, runnerGroup = '', labels, pinnedTo }: Join): string {
  const parts = [ciSystem, scopeText(scope).toLowerCase(), runnerGroup, labels.toSorted()];
  return JSON.stringify(pinnedTo === undefined ? parts : [...parts, pinnedTo]);
}

/** Finds the scope of a pool by its key, in lower case. */
export function scopeOfPool(poolKey: string): CiScope {
  const [, scope] = z.tuple([z.string(), z.string()], z.unknown()).parse(JSON.parse(poolKey));
  const [owner = '', name] = scope.split('/');
  return name === undefined ? { organization: owner } : { repository: { owner, name } };
}

/** Says whether a pool has what it needs: no later look can agree with such a one on a repair. */
export function isBalanced({ missing, missingWithWarm = missing, unlisted = [] }: PoolLook): boolean {
  return missing === 0 && missingWithWarm === 0 && unlisted.length === 0;
}

/** A pool as one reconcile saw it. */
export const PoolLook = z.object({
  /** Queued jobs without an agent for them. Below 0: agents without a job for them. */
  missing: z.int(),
  /** The same, with the warm agents that the pool should have. @default missing */
  missingWithWarm: z.optional(z.int()),
  /** The number of the pool's next warm launch, or a lower one. Absent from a pool without warm agents. */
  nextWarm: z.optional(z.int()),
  /** The jobs that wait for slots and that the CI system did not list, by `jobKeyOf`. @default none */
  unlisted: z.optional(z.array(z.string())),
  atEpochMs: EpochMs,
});
export type PoolLook = z.infer<typeof PoolLook>;

/** The counts of one look at a pool. */
export interface PoolCount {
  missing: number;
  missingWithWarm: number;
}

/** The repairs that a pool needs. */
export interface AgreedRepairs {
  /** Agents to launch for queued jobs. */
  launch: number;
  /** Warm agents to launch besides. */
  warm: number;
  retire: number;
}

/**
 * Decides which repairs a pool needs, as far as two looks agree. Events may arrive before lists show them, so one look
 * proves nothing.
 *
 * @param before undefined when the last reconcile did not see the pool, or saw it too long ago
 */
export function agreedRepairs(before: PoolLook | undefined, now: PoolCount): AgreedRepairs {
  if (before === undefined) return { launch: 0, warm: 0, retire: 0 };
  const { missing, missingWithWarm } = agreedCount(before, now);
  const launch = Math.max(0, missing);
  return { launch, warm: Math.max(0, missingWithWarm - launch), retire: Math.max(0, -missingWithWarm) };
}

/** Counts what two looks agree on. */
export function agreedCount(before: PoolLook, now: PoolCount): PoolCount {
  return {
    missing: agreed(before.missing, now.missing),
    missingWithWarm: agreed(before.missingWithWarm ?? before.missing, now.missingWithWarm),
  };
}

/** Finds the number between two and 0 that is nearest to 0. */
function agreed(one: number, other: number): number {
  if (Math.sign(one) !== Math.sign(other)) return 0;
  return Math.abs(one) < Math.abs(other) ? one : other;
}

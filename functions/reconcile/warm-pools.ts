import type { CiScope } from '../domain/ci-scope.ts';
import type { CiSystemConfig } from '../domain/ci-system-config.ts';
import type { Profile } from '../domain/config.ts';
import type { Join } from '../domain/join.ts';
import { joinIn, joinOf } from '../domain/join-of.ts';
import { poolKeyOf } from '../domain/pool.ts';
import { type SlotLimit, slotLimitsOf } from '../domain/slot-limits.ts';
import { warmTarget } from '../domain/warm-agents.ts';
import type { AdmitDeps, WaitingForSlot } from '../launch-lifecycle/admit-waiting.ts';
import type { Slots } from '../ports/slots.ts';
import type { PoolView } from './pool-view.ts';

/** A pool in which a profile keeps warm agents. */
export interface WarmPool {
  profile: Profile;
  join: Join;
  /** The limits that count its agents. */
  limits: SlotLimit[];
}

/** How many warm agents a profile should have in a pool now. */
export interface WarmWish extends WarmPool {
  target: number;
  /** Jobs wait for a slot of its limits: they come first. */
  isYielding: boolean;
}

/** Lists the pools of a CI system in which profiles keep warm agents. */
export function warmPoolsOf(
  { profiles, agentLimits }: Pick<AdmitDeps, 'profiles' | 'agentLimits'>,
  system: CiSystemConfig,
): WarmPool[] {
  return profiles.flatMap((profile) =>
    scopesOf(profile, system).flatMap((scope) => {
      const join = joinIn(system, profile, scope);
      const repository = 'organization' in scope ? { owner: scope.organization } : scope.repository;
      const limits = slotLimitsOf(agentLimits, profile, { ciSystem: system.name, repository });
      return join === undefined ? [] : [{ profile, join, limits }];
    }),
  );
}

function scopesOf({ warm, scope }: Profile, { name }: CiSystemConfig): CiScope[] {
  if (warm === undefined || (warm.ciSystem ?? name) !== name) return [];
  if (scope === 'organization') return (warm.organizations ?? []).map((organization) => ({ organization }));
  return (warm.repositories ?? []).map((text) => {
    const [owner = '', repository = ''] = text.split('/');
    return { repository: { owner, name: repository } };
  });
}

/** The jobs that wait for slots, and the limits that are full. */
export interface SlotsWanted {
  waiting: readonly WaitingForSlot[];
  /** The keys of the limits without a free slot. */
  full: ReadonlySet<string>;
}

/**
 * Finds which limits of warm agents are full while jobs wait for slots.
 *
 * @throws TransientError StoreUnavailable
 */
export async function fullLimitsOf(
  { slots }: { slots: Pick<Slots, 'get'> },
  warmPools: readonly WarmPool[],
): Promise<ReadonlySet<string>> {
  const limits = new Map(warmPools.flatMap((pool) => pool.limits.map((limit) => [limit.key, limit])));
  const full = new Set<string>();
  for (const [key, { maxAgents }] of limits) if ((await slots.get(key)).size >= maxAgents) full.add(key);
  return full;
}

/**
 * Says how many warm agents each profile should have in a pool. A job that waits for a slot comes before a warm agent: in
 * another pool it cannot run on that agent, so there is one less than there are.
 */
export function wishesOf(
  { key, running, idle }: Pick<PoolView, 'key' | 'running' | 'idle'>,
  warmPools: readonly WarmPool[],
  wanted: SlotsWanted,
  nowEpochMs: number,
): WarmWish[] {
  return warmPools
    .filter(({ join }) => poolKeyOf(join) === key)
    .map((pool) => {
      const { profile, limits } = pool;
      const busy = running.filter(({ plan }) => plan?.profile === profile.name).length;
      const full = limits.filter((limit) => wanted.full.has(limit.key));
      const elsewhere = sharing(wanted.waiting, full).filter((job) => poolOfJob(job) !== key).length;
      const target = profile.warm === undefined ? 0 : warmTarget(profile.warm, busy, nowEpochMs);
      const isYielding = sharing(wanted.waiting, limits).length > 0;
      const yielded = elsewhere === 0 ? target : Math.max(0, Math.min(target, idle.length) - elsewhere);
      return { ...pool, target: yielded, isYielding };
    });
}

function sharing(waiting: readonly WaitingForSlot[], limits: readonly SlotLimit[]): WaitingForSlot[] {
  const keys = new Set(limits.map(({ key }) => key));
  return waiting.filter((job) => job.limits.some(({ key }) => keys.has(key)));
}

function poolOfJob({ system, profile, size, job }: WaitingForSlot): string | undefined {
  const join = joinOf(system, profile, job, size);
  return join && poolKeyOf(join);
}

import { poolKeyOf } from '../../core/agent/pool.ts';
import { warmTarget } from '../../core/agent/warm-agents.ts';
import type { CiSystemConfig } from '../../core/ci/ci-system-config.ts';
import type { Join } from '../../core/ci/join.ts';
import { joinIn, joinOf } from '../../core/ci/join-of.ts';
import { warmScopesOf } from '../../core/ci/warm-scopes.ts';
import type { Profile } from '../../core/config/config.ts';
import type { LaunchRecord } from '../../core/launch/launch-record.ts';
import { type SlotLimit, slotLimitsOf } from '../../core/limits/slot-limits.ts';
import type { AdmitDeps, WaitingForSlot } from '../../logic/lifecycle/admit-waiting.ts';
import type { Slots } from '../../ports/slots.ts';
import { isSupply, type PoolView } from './pool-view.ts';

/** A pool in which a profile keeps warm agents. */
export interface WarmPool {
  profile: Profile;
  join: Join;
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
    warmScopesOf(profile, system).flatMap((scope) => {
      const join = joinIn(system, profile, scope);
      const repository = 'organization' in scope ? { owner: scope.organization } : scope.repository;
      const limits = slotLimitsOf(agentLimits, profile, { ciSystem: system.name, repository });
      return join === undefined ? [] : [{ profile, join, limits }];
    }),
  );
}

/** The jobs that wait for slots, and the limits that are full. */
export interface SlotsWanted {
  waiting: readonly WaitingForSlot[];
  /** The keys of the limits without a free slot. */
  full: ReadonlySet<string>;
}

/**
 * Finds which limits of warm agents are full while jobs wait for slots: those of their pools, and those of the jobs that
 * idle agents were launched for.
 *
 * @throws TransientError StoreUnavailable
 */
export async function fullLimitsOf(
  { slots }: { slots: Pick<Slots, 'get'> },
  warmPools: readonly WarmPool[],
  waiting: readonly WaitingForSlot[],
  live: readonly LaunchRecord[],
): Promise<ReadonlySet<string>> {
  const held = new Set(live.filter(isSupply).flatMap(({ plan }) => plan?.slots?.limits ?? []));
  const heldToo = waiting.flatMap((job) => job.limits.filter(({ key }) => held.has(key)));
  const counted = [...warmPools.flatMap(({ limits }) => limits), ...heldToo];
  const full = new Set<string>();
  for (const [key, { maxAgents }] of new Map(counted.map((limit) => [limit.key, limit])))
    if ((await slots.get(key)).size >= maxAgents) full.add(key);
  return full;
}

/**
 * Says how many warm agents each profile should have in a pool. A job that waits for a slot comes before a warm agent: in
 * another pool it cannot run on that agent, so there is one less than there are. An idle agent that was launched for a
 * job may hold a slot that no limit of the pool counts: its repository's.
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
      const target = profile.warm === undefined ? 0 : warmTarget(profile.warm, busy, nowEpochMs);
      const ofPool = limits.map((limit) => limit.key);
      const fullOf = (...launches: LaunchRecord[]) =>
        [...ofPool, ...launches.flatMap(({ plan }) => plan?.slots?.limits ?? [])].filter((each) =>
          wanted.full.has(each),
        );
      const elsewhere = wanted.waiting.filter((job) => poolOfJob(job) !== key);
      const blocked = sharing(elsewhere, fullOf(...idle)).length;
      const blocking = idle.filter((launch) => sharing(elsewhere, fullOf(launch)).length > 0).length;
      const yielded = blocked === 0 ? target : Math.max(0, Math.min(target, idle.length) - Math.min(blocked, blocking));
      return { ...pool, target: yielded, isYielding: sharing(wanted.waiting, ofPool).length > 0 };
    });
}

function sharing(waiting: readonly WaitingForSlot[], limitKeys: readonly string[]): WaitingForSlot[] {
  return waiting.filter((job) => job.limits.some(({ key }) => limitKeys.includes(key)));
}

function poolOfJob({ system, profile, size, job }: WaitingForSlot): string | undefined {
  const join = joinOf(system, profile, job, size);
  return join && poolKeyOf(join);
}

import { jobKeyOf } from '../../core/job/job-id.ts';
import { isSize, poolName } from '../world/ci-queue.ts';
import { ciRepository } from '../world/ci-server.ts';
import type { HistoryEvent } from '../world/history.ts';
import { isWarmLaunch } from '../world/warm.ts';
import type { Evidence, Invariant } from './evidence.ts';

/** Invariant 10 of docs/invariants.md, after reconciling has run for a while without faults. */
export const queuedJobs: Invariant = {
  name: '10: no job waits for ever: an agent is requested until one has run it, or no profile takes it and its record says so',
  *check(evidence) {
    const { queue, jobs } = evidence.run.world;
    const taken = new Set([...evidence.of('jobQueued')].flatMap(({ job, pool }) => (pool === '' ? [] : [job])));
    for (const { id, attempt, status } of queue.server.jobs) {
      if (status === 'completed') continue;
      const record = jobs.get(keyOf(evidence.run, { id, attempt }));
      const isTaken = taken.has(queue.server.nameOf({ id, attempt }));
      if (isTaken) yield `job ${id} is ${status} for ever: ${record?.launches ?? 0} launches were requested for it`;
      else if (record?.notLaunched === undefined) yield `job ${id} is ${status} for ever, and nothing says why`;
    }
  },
};

/** A polled job waits for the next poll, and not for reconciling. */
export const askedAtOnce: Invariant = {
  name: '10: a job that a poll sees in the queue is asked for by that poll, or its record says why not',
  *check(evidence) {
    for (const { jobKey } of evidence.of('leftUnasked')) yield `a poll saw ${jobKey}, and asked for no agent`;
  },
};

/** Unwanted runners are gone from the CI system, and their launches from davit. */
export const noneLeft: Invariant = {
  name: '10: no runner of an agent is left in a CI system, and no agent is left without a job',
  *check({ run: { world } }) {
    for (const { name, id, launchId } of world.queue.server.runners) {
      if (launchId !== undefined) yield `runner ${id} is left in the CI system: ${name}`;
    }
    for (const { launchId, status } of world.liveAgents) yield `${launchId} is ${status}, and no job waits`;
  },
};

/** davit makes a replacement once, even if two reconciles run. */
export const countedLaunches: Invariant = {
  name: '10: an attempt of a job has at most one launch beside its counted replacements',
  *check(evidence) {
    const requested = new Map<string, number>();
    for (const { launchId, from, to } of evidence.of('recorded')) {
      const job = launchId.replace(/-x\d+$/, '');
      if (from === undefined && to === 'launching') requested.set(job, (requested.get(job) ?? 0) + 1);
    }
    const { queue, jobs } = evidence.run.world;
    for (const { id, attempt } of queue.server.jobs) {
      const launches = requested.get(queue.server.nameOf({ id, attempt })) ?? 0;
      const counted = jobs.get(keyOf(evidence.run, { id, attempt }))?.launches ?? 0;
      if (launches > counted) yield `job ${id} has ${launches} launches, and ${counted} are counted`;
    }
  },
};

/**
 * Each job takes one agent of its pool, so a surplus there needs a reason: a job that took no agent of davit's, or one
 * of another pool, or one about to be retired; or an agent that davit requested as a replacement, or as a warm one.
 */
export const realSurplus: Invariant = {
  name: '10: no agent is retired as one too many before there is one too many',
  *check(evidence) {
    const poolOf = new Map<string, string>();
    const reasons = new Map<string, Set<string>>();
    const hadJob = new Set<string>();
    const retired = new Map<string, Set<string>>();
    const isRetired = (launchId = '') => retired.get(poolOfLaunch(evidence, launchId))?.has(launchId) === true;
    for (const event of evidence.acts) {
      if (event.kind === 'jobQueued') poolOf.set(event.job, event.pool);
      if (event.kind === 'recorded' && isReplacement(event))
        addTo(reasons, poolOfLaunch(evidence, event.launchId), event.launchId);
      if (event.kind === 'jobOver' && event.launchId === undefined) addTo(reasons, poolOf.get(event.job), event.job);
      // Some CI systems give an agent another job after its first one.
      const isNext = event.kind === 'handedOut' && hadJob.has(event.launchId ?? '');
      if (event.kind === 'handedOut' && event.launchId !== undefined) hadJob.add(event.launchId);
      if (event.kind === 'handedOut' && (isNext || takesOthers(evidence, event, poolOf) || isRetired(event.launchId)))
        addTo(reasons, poolOf.get(event.job), event.job);
      if (event.kind !== 'retiring' || event.reason !== 'no queued job waits for its agent') continue;
      // An agent whose job is over is surplus, too.
      if (hadJob.has(event.launchId)) continue;
      const pool = poolOfLaunch(evidence, event.launchId);
      const count = addTo(retired, pool, event.launchId);
      if (count > (reasons.get(pool)?.size ?? 0)) yield `${event.launchId} was retired as one too many, and was not`;
    }
  },
};

/**
 * A launch that was counted and not requested is requested first: its job has it already. Only in worlds without limits:
 * with them, an attempt that died with its slots is given up.
 */
export const launchesInOrder: Invariant = {
  name: '10: no replacement is requested before the launch that it replaces',
  *check(evidence) {
    if (evidence.run.maxAgents !== undefined) return;
    const requested = new Set<string>();
    for (const { launchId, from } of evidence.of('recorded')) {
      if (from !== undefined) continue;
      requested.add(launchId);
      const [, job = '', number = ''] = /^(.*)-x(\d+)$/.exec(launchId) ?? [];
      if (job !== '' && !requested.has(nameOf(job, Number(number) - 1))) {
        yield `${launchId} was requested, and the launch before it was not`;
      }
    }
  },
};

/** How long before a replacement its pool may have lacked an agent: a function's 59 s, and a list that is 20 s old. */
const shortageMs = 100_000;

/** How long a function that has listed the launches goes by that list. */
const goesByListMs = 59_000;

/** A pool's queued jobs, and its agents that may still get one, as the CI system and the records have them. */
class PoolTruth {
  readonly jobs = new Set<string>();
  /** When each was requested, by its launch. */
  readonly agents = new Map<string, number>();
  /** The last moment with more jobs than agents. */
  shortAtEpochMs = -Infinity;

  /** @param atEpochMs when the pool changes: until then it was as it is */
  until(atEpochMs: number): void {
    if (this.jobs.size > this.agents.size) this.shortAtEpochMs = atEpochMs;
  }

  /** Whether it lacks an agent by an old list: the newest launch of a queued job is read by its id, and never missed. */
  lacksAsOf(listedAtEpochMs: number): boolean {
    const seen = new Set<string>();
    const newest = new Map<string, string>();
    for (const [launchId, requestedAtEpochMs] of this.agents) {
      newest.set(launchId.replace(/-x\d+$/, ''), launchId);
      if (requestedAtEpochMs < listedAtEpochMs) seen.add(launchId);
    }
    for (const [job, launchId] of newest) if (this.jobs.has(job)) seen.add(launchId);
    return this.jobs.size > seen.size;
  }
}

/**
 * A job's further launch needs a job that lacks an agent. Only in worlds without limits: there, a job that lacked an
 * agent waits for a slot, and gets it whatever happened meanwhile.
 */
export const neededReplacements: Invariant = {
  name: '10: a job gets another launch only when its pool has lacked an agent',
  *check(evidence) {
    if (evidence.run.maxAgents !== undefined) return;
    const pools = new Map<string, PoolTruth>();
    const poolOf = new Map<string, string>();
    let lastStale = { asOfEpochMs: 0, atEpochMs: -Infinity };
    const poolNamed = (name: string): PoolTruth => {
      const pool = pools.get(name) ?? new PoolTruth();
      pools.set(name, pool);
      return pool;
    };
    for (const event of evidence.acts) {
      for (const pool of pools.values()) pool.until(event.atEpochMs);
      if (event.kind === 'listedStale') lastStale = event;
      if (event.kind === 'jobQueued') {
        poolOf.set(event.job, event.pool);
        poolNamed(event.pool).jobs.add(event.job);
      }
      if (event.kind === 'handedOut' || event.kind === 'jobOver') {
        poolNamed(poolOf.get(event.job) ?? '').jobs.delete(event.job);
      }
      if (event.kind === 'recorded' && event.from === undefined && event.to === 'launching') {
        const pool = poolNamed(poolOfLaunch(evidence, event.launchId));
        const goesByStale = event.atEpochMs - lastStale.atEpochMs <= goesByListMs;
        const isShort =
          event.atEpochMs - pool.shortAtEpochMs <= shortageMs || (goesByStale && pool.lacksAsOf(lastStale.asOfEpochMs));
        if (/-x\d+$/.test(event.launchId) && !isShort) {
          yield `${event.launchId} was launched, and ${pool.jobs.size} jobs had ${pool.agents.size} agents`;
        }
        pool.agents.set(event.launchId, event.atEpochMs);
      } else if (hasLeft(event) && event.launchId !== undefined) {
        poolNamed(poolOfLaunch(evidence, event.launchId)).agents.delete(event.launchId);
      }
    }
  },
};

/** How long a reconcile may know nothing of a failed launch, in milliseconds: it takes less, and clocks differ. */
const knownMs = 64_000;

/** How long a job waits at least after two failed launches in a row, in milliseconds. */
const leastWaitMs = 240_000;

/** How long a failed launch counts, with a bit for clocks, in milliseconds. */
const countsMs = 3_600_000 - 10_000;

/**
 * Only in worlds without limits, where a job may have begun to wait for a slot before its launch failed; and only where
 * no function stands still, which may write long after it has read.
 */
export const pacedRetries: Invariant = {
  name: '10: a job whose launches fail gets the next one only after a wait that grows',
  *check(evidence) {
    if (evidence.run.maxAgents !== undefined || evidence.run.plan.has('stalled')) return;
    const countedAt = new Map<string, number>();
    const failedAt = new Map<string, number>();
    const hadJob = new Set<string>();
    for (const event of evidence.acts) {
      if (event.kind === 'handedOut' && event.launchId !== undefined) hadJob.add(event.launchId);
      if (event.kind === 'counted' && !countedAt.has(event.launchId)) countedAt.set(event.launchId, event.atEpochMs);
      if (event.kind !== 'recorded') continue;
      const { launchId, from, to, ending, atEpochMs } = event;
      // An agent that has lived too long is no failure of its job.
      const isFailure = ending?.outcome === 'failed' && ending.code !== 'AgentLifetimeExceeded';
      if (to !== 'launching' && isFailure && !hadJob.has(launchId) && !failedAt.has(launchId)) {
        failedAt.set(launchId, atEpochMs);
      }
      const [, job = '', number = '0'] = /^(.*)-x(\d+)$/.exec(launchId) ?? [];
      if (from !== undefined || to !== 'launching' || Number(number) < 2) continue;
      const before = [1, 2].map((steps) => failedAt.get(nameOf(job, Number(number) - steps)) ?? Infinity);
      // One that was counted before, by a caller that died, is requested at once.
      const waitedMs = (countedAt.get(launchId) ?? atEpochMs) - Math.max(...before);
      if (atEpochMs - Math.min(...before) > countsMs) continue;
      if (waitedMs >= knownMs && waitedMs < leastWaitMs) {
        yield `${launchId} was requested ${Math.round(waitedMs / 1000)} s after the second failure in a row`;
      }
    }
  },
};

/** The greatest age of a fresh event, less the skew of two clocks, in milliseconds. */
const freshMs = 55_000;

/** How long a function may work with the clock that it read, in milliseconds. */
const readMs = 90_000;

/** A CI system tells when a job was queued by its own clock, which may be minutes off. */
export const freshEvents: Invariant = {
  name: '10: a fresh event of a queued job is acted upon at once, once davit knows how far the clock of its CI system is off',
  *check(evidence) {
    const isOff = evidence.run.world.queue.server.clockAheadMs !== 0;
    let knownAtEpochMs = isOff ? Infinity : -Infinity;
    const queuedAt = new Map<string, number>();
    for (const event of evidence.acts) {
      if (event.kind === 'jobQueued') queuedAt.set(event.job, event.atEpochMs);
      if (event.kind === 'clockKept') knownAtEpochMs = Math.min(knownAtEpochMs, event.atEpochMs + readMs);
      if (event.kind !== 'notLaunched' || !event.reason.startsWith('the event came late')) continue;
      const ageMs = event.atEpochMs - (queuedAt.get(event.job) ?? -Infinity);
      if (event.atEpochMs >= knownAtEpochMs && ageMs <= freshMs)
        yield `the event of ${event.job} was taken for a late one`;
    }
  },
};

function nameOf(job: string, replacement: number): string {
  return replacement === 0 ? job : `${job}-x${replacement}`;
}

/** An agent gets no more jobs once it has had one, is no longer wanted, or it or its launch is over. */
export function hasLeft(event: HistoryEvent): event is HistoryEvent & { launchId: string | undefined } {
  if (event.kind === 'recorded') return event.to !== 'launching' && event.to !== 'connected';
  return ['handedOut', 'retiring', 'runnerGone', 'agentEnded'].includes(event.kind);
}

function isReplacement({ from, launchId }: { from: string | undefined; launchId: string }): boolean {
  return from === undefined && (/-x\d+$/.test(launchId) || isWarmLaunch(launchId));
}

function takesOthers(
  evidence: Evidence,
  { launchId, job }: { launchId: string | undefined; job: string },
  poolOf: ReadonlyMap<string, string>,
): boolean {
  return launchId === undefined || poolOfLaunch(evidence, launchId) !== poolOf.get(job);
}

/** Returns the pool in which a launch's agent is registered. */
function poolOfLaunch(evidence: Evidence, launchId: string): string {
  const { profile = '', join } = evidence.planOf(launchId) ?? {};
  return poolName(profile, join?.labels.filter(isSize) ?? []);
}

/** @returns the new size of the set */
function addTo(sets: Map<string, Set<string>>, key = '', item: string): number {
  const set = sets.get(key) ?? new Set();
  sets.set(key, set.add(item));
  return set.size;
}

function keyOf({ world }: Evidence['run'], { id, attempt }: { id: number; attempt: number }): string {
  return jobKeyOf({ ciSystem: world.queue.system.name, repositoryId: ciRepository.id, jobId: id, attempt });
}

import { isSize } from '../world/ci-queue.ts';
import type { HistoryEvent, WarmPool } from '../world/history.ts';
import { warmLifetimeSeconds, warmPools } from '../world/profiles.ts';
import { isWarmLaunch } from '../world/warm.ts';
import { type Evidence, type Invariant, waitingIn } from './evidence.ts';

/** Two rounds agree, and a retirement waits for the CI system; after a failed launch, five minutes pass. */
const mostRoundsTooMany = 6;
const mostRoundsTooFew = 10;

/**
 * The longest time between a round's observation and its action: a function may stand still, and looks are a minute
 * apart.
 */
const outdatedMs = 240_000;

/** After the last fault, a pool has as many idle agents as it should have. */
export const warmKept: Invariant = {
  name: '12: a pool has its warm agents, and none that nobody wants, within a few reconciles',
  *check(evidence) {
    const { maxAgents } = evidence.run;
    let [tooMany, tooFew] = [0, 0];
    const lost = lostWarmAgents(evidence);
    for (const { warmPool, atEpochMs } of evidence.of('calmRound')) {
      const wanted = warmPool.wanted + warmPool.queued;
      tooMany = warmPool.idle > wanted ? tooMany + 1 : 0;
      // If a limit leaves room for fewer, or agents ended without a job within the longest pause, the number is unknown.
      const isKnown = maxAgents === undefined && !lost.some((lostAtEpochMs) => isPaused(lostAtEpochMs, atEpochMs));
      tooFew = isKnown && warmPool.idle < warmPool.wanted ? tooFew + 1 : 0;
      if (tooMany === mostRoundsTooMany + 1) yield `there are too many in ${tooMany} rounds: ${words(warmPool)}`;
      if (tooFew === mostRoundsTooFew + 1) yield `there are too few in ${tooFew} rounds: ${words(warmPool)}`;
    }
  },
};

/** The longest pause after warm agents that ended without a job, and the time in which one agent is tried. */
const longestPauseMs = 3_600_000 + 300_000;

function isPaused(lostAtEpochMs: number, atEpochMs: number): boolean {
  return lostAtEpochMs <= atEpochMs && atEpochMs - lostAtEpochMs <= longestPauseMs;
}

/** When warm agents ended that had got no job. */
function lostWarmAgents({ launches }: Evidence): number[] {
  return [...launches.values()].flatMap(({ launchId, ending, events }) => {
    const hadJob = events.some(({ kind }) => kind === 'handedOut');
    return ending !== undefined && !hadJob && isWarmLaunch(launchId) ? [ending.recordedAtEpochMs] : [];
  });
}

function words({ wanted, idle, queued }: WarmPool): string {
  return `${idle} agents are idle, ${wanted} are wanted, ${queued} jobs are queued`;
}

/** From when on an idle agent counts for a job, but for no warm agent, with a bit for clocks. */
const agedMs = (1 / 2) * warmLifetimeSeconds * 1000 - 10_000;

/** How many warm agents the config asks for, and has asked for of late. */
class Wanted {
  #counts: { agents: number; untilEpochMs: number }[] = [];

  note(event: HistoryEvent): void {
    if (event.kind !== 'warmWanted') return;
    const { agents, atEpochMs } = event;
    const ended = this.#counts.map((each) => ({ ...each, untilEpochMs: Math.min(each.untilEpochMs, atEpochMs) }));
    this.#counts = [...ended, { agents, untilEpochMs: Infinity }];
  }

  at(epochMs: number): number[] {
    return this.#counts.filter((each) => epochMs - each.untilEpochMs < outdatedMs).map(({ agents }) => agents);
  }
}

/** The number in a warm launch's id: two reconciles that both miss one agent request the same launch. */
export const warmOnce: Invariant = {
  name: '12: no warm agent is launched while there are enough',
  *check(evidence) {
    const idle = new Set<string>();
    const connectedAt = new Map<string, number>();
    const wanted = new Wanted();
    const jobs = new Map<string, number>();
    for (const event of evidence.acts) {
      wanted.note(event);
      if (event.kind === 'jobQueued') jobs.set(event.job, Infinity);
      if (event.kind === 'jobOver') jobs.set(event.job, event.atEpochMs);
      if (event.kind === 'retiring' || (event.kind === 'handedOut' && event.launchId !== undefined)) {
        idle.delete(event.launchId ?? '');
      }
      // A reconcile may know it before the sweep has recorded it: the CI system no longer has its runner.
      if (event.kind === 'agentEnded') idle.delete(event.launchId);
      if (event.kind !== 'recorded' || !isWarmLaunch(event.launchId)) continue;
      if (event.to === 'connected') connectedAt.set(event.launchId, event.atEpochMs);
      if (event.to !== 'launching' && event.to !== 'connected') idle.delete(event.launchId);
      if (event.from !== undefined || event.to !== 'launching') continue;
      idle.add(event.launchId);
      const open = [...jobs.values()].filter((untilEpochMs) => event.atEpochMs - untilEpochMs < outdatedMs).length;
      const enough = Math.max(0, ...wanted.at(event.atEpochMs)) + open;
      const isYoung = (launchId: string) => event.atEpochMs - (connectedAt.get(launchId) ?? event.atEpochMs) < agedMs;
      const young = [...idle].filter(isYoung).length;
      if (young > enough)
        yield `${event.launchId} was launched as one of ${young} idle agents, and ${enough} are enough`;
    }
  },
};

/** From what part of its lifetime on an idle agent goes although no other one has connected, with a bit for clocks. */
const urgentMs = (3 / 4) * warmLifetimeSeconds * 1000 - 10_000;

const replacedReason = 'its agent has run nothing for so long that another one takes its place';

/**
 * An agent that got a job or ended a moment ago may have been idle when the round saw it. Only in worlds without limits:
 * there, an agent may go because a job of another pool waits for its slot.
 */
export const successorsFirst: Invariant = {
  name: '12: no warm agent is replaced before another one has connected in its place, unless its lifetime is about to end',
  *check(evidence) {
    if (evidence.run.maxAgents !== undefined) return;
    const connectedAt = new Map<string, number>();
    const leftAt = new Map<string, number>();
    const wanted = new Wanted();
    for (const event of evidence.acts) {
      wanted.note(event);
      if (event.kind === 'recorded' && isOfWarmPool(evidence, event.launchId)) {
        if (event.to === 'connected') connectedAt.set(event.launchId, event.atEpochMs);
        else if (event.to !== 'launching') leave(leftAt, event.launchId, event.atEpochMs);
      }
      if (event.kind === 'handedOut' && event.launchId !== undefined) leave(leftAt, event.launchId, event.atEpochMs);
      if (event.kind !== 'retiring') continue;
      const { launchId, atEpochMs, reason } = event;
      const idleSinceEpochMs = connectedAt.get(launchId) ?? atEpochMs;
      connectedAt.delete(launchId);
      if (reason !== replacedReason || atEpochMs - idleSinceEpochMs >= urgentMs) continue;
      const others = [...connectedAt.keys()].filter(
        (each) => atEpochMs - (leftAt.get(each) ?? Infinity) < outdatedMs,
      ).length;
      const fewest = Math.min(...wanted.at(atEpochMs));
      if (others < fewest) yield `${launchId} was replaced, and ${others} others of ${fewest} were connected`;
    }
  },
};

/** How long a pool gets no warm agent after one has ended without a job, and after which a live one has proved itself. */
const firstPauseMs = 300_000;

/** How long a reconcile may know nothing of an end, in milliseconds: it takes less, and clocks differ. */
const knownMs = 64_000;

/**
 * From when on the end of a summoned agent is no failure, in milliseconds since it registered: two minutes since it asked, less
 * the time for which connect holds a request, and a bit for clocks.
 */
const registeredLongMs = 95_000;

/** Only where no function stands still, which may write long after it has read. */
export const warmPaused: Invariant = {
  name: '12: a pool gets no warm agent soon after one has ended without a job',
  *check(evidence) {
    if (evidence.run.plan.has('stalled')) return;
    const requestedAt = new Map<string, number>();
    const failedAt = new Map<string, number>();
    const hadJob = new Set<string>();
    const isLive = new Set<string>();
    const summoned = new Set<string>();
    const registeredAt = new Map<string, number>();
    for (const event of evidence.acts) {
      if (event.kind === 'handedOut' && event.launchId !== undefined) hadJob.add(event.launchId);
      if (event.kind === 'summoned') summoned.add(event.launchId);
      if (event.kind === 'registered') registeredAt.set(event.launchId, event.atEpochMs);
      if (event.kind !== 'recorded' || !isWarmLaunch(event.launchId)) continue;
      const { launchId, from, to, ending, atEpochMs } = event;
      if (to !== 'launching' && to !== 'connected') {
        isLive.delete(launchId);
        const isFailure = ending?.outcome === 'failed' || ending?.by === 'the agent exited';
        const isRetiring = evidence.launches.get(launchId)?.record?.retiring !== undefined;
        const registeredMs = atEpochMs - (registeredAt.get(launchId) ?? atEpochMs);
        const hasWaited = summoned.has(launchId) && registeredMs >= registeredLongMs;
        if (isFailure && !isRetiring && !hasWaited && !hadJob.has(launchId) && !failedAt.has(launchId))
          failedAt.set(launchId, atEpochMs);
      }
      if (from !== undefined || to !== 'launching') continue;
      const hasLived = (other: string) => atEpochMs - (requestedAt.get(other) ?? atEpochMs) >= firstPauseMs - skewMs;
      const hasProved = (other: string) => hadJob.has(other) || (isLive.has(other) && hasLived(other));
      const provedNumbers = [...requestedAt.keys()].filter(hasProved).map(numberOf);
      const counting = [...failedAt].filter(([failed]) => provedNumbers.every((proved) => proved < numberOf(failed)));
      const lastAtEpochMs = Math.max(-Infinity, ...counting.map(([, failedAtEpochMs]) => failedAtEpochMs));
      const sinceMs = atEpochMs - lastAtEpochMs;
      requestedAt.set(launchId, atEpochMs);
      isLive.add(launchId);
      if (sinceMs >= knownMs && sinceMs < firstPauseMs - skewMs) {
        yield `${launchId} was requested ${Math.round(sinceMs / 1000)} s after a warm agent had ended without a job`;
      }
    }
  },
};

/** The number of a warm launch: a pool numbers them in their order. */
function numberOf(launchId: string): number {
  return Number(launchId.slice(launchId.lastIndexOf('-') + 1));
}

/** Two clocks may each be 2 s off. */
const skewMs = 5000;

function leave(leftAt: Map<string, number>, launchId: string, atEpochMs: number): void {
  if (!leftAt.has(launchId)) leftAt.set(launchId, atEpochMs);
}

function isOfWarmPool(evidence: Evidence, launchId: string): boolean {
  const { profile, join } = evidence.planOf(launchId) ?? {};
  return profile === warmPools[evidence.run.world.queue.server.provider] && join?.labels.some(isSize) === false;
}

/** Idle agents that hold slots are of no use to a job of another pool. */
export const jobsFirst: Invariant = {
  name: '12: no job waits for a slot that a warm agent of another pool holds for longer than reconciling takes',
  *check(evidence) {
    const rounds = [...evidence.of('calmRound')].map(({ waitingBehindIdle }) => waitingBehindIdle);
    for (const job of waitingIn(rounds, mostRoundsTooMany)) yield `job ${job} waits behind idle agents of another pool`;
  },
};

/** How long a reconcile may know nothing of a job that waits: a function's minute, and a list that is older. */
const unknownMs = 150_000;

/** A slot that is free again belongs to the job that waits for it. Only where no function stands still. */
export const waitingBeforeWarm: Invariant = {
  name: '12: no warm agent takes a slot of a limit for which a job has waited',
  *check(evidence) {
    if (evidence.run.plan.has('stalled')) return;
    const waiting = new Map<string, { limitedBy: string; sinceEpochMs: number }>();
    const isServed = new Set<string>();
    for (const event of evidence.acts) {
      const { atEpochMs } = event;
      if (event.kind === 'limited' && !waiting.has(event.job) && !isServed.has(event.job))
        waiting.set(event.job, { limitedBy: event.limitedBy, sinceEpochMs: atEpochMs });
      if (event.kind === 'handedOut' || event.kind === 'jobOver') {
        isServed.add(event.job);
        waiting.delete(event.job);
      }
      if (event.kind === 'counted' || event.kind === 'notLaunched') waiting.delete(event.job);
      if (event.kind !== 'recorded' || event.from !== undefined || event.to !== 'launching') continue;
      if (!isWarmLaunch(event.launchId)) continue;
      const limits = evidence.planOf(event.launchId)?.slots?.limits ?? [];
      for (const [job, { limitedBy, sinceEpochMs }] of waiting)
        if (limits.includes(limitedBy) && atEpochMs - sinceEpochMs > unknownMs)
          yield `${event.launchId} took a slot of ${limitedBy}, for which ${job} waited`;
    }
  },
};

import { type EventSource, requestPointsOf } from '../../core/ci/ci-systems.ts';
import {
  mostOfSlot,
  type RequestPoints,
  type RequestPurpose,
  registrationsAMinute,
  roomAhead,
  slotOf,
  slotStart,
  slotsAfter,
  slotsAhead,
  slotsAround,
  turnOf,
} from '../../core/ci/request-pace.ts';
import { isoTime } from '../../core/epoch-ms.ts';
import type { CiSystem } from '../../ports/ci-system.ts';
import type { PointsNeeded, RequestPace } from '../../ports/request-pace.ts';

/** The requests that a function is about to make. */
export interface PlannedRequests {
  reads?: number;
  writes?: number;
}

/** Why a function must not ask a CI system now. */
export interface PaceRefusal {
  /** When its turn comes, or may come. */
  untilEpochMs: number;
  /** For people. */
  detail: string;
  /** Whether the CI system accepts no requests at all. */
  isPaused: boolean;
}

/** The pace of all functions' requests to the CI systems in davit.yaml. */
export interface SystemPace {
  /** What a CI system allows in a minute; undefined for one that has no such limit. */
  pointsOf(ciSystem: string): RequestPoints | undefined;
  /**
   * Takes what requests cost, before they are made. A CI system without a limit on the minute may still have asked for a
   * pause.
   *
   * @returns undefined when they may be made
   * @throws TransientError StoreUnavailable
   */
  take(ciSystem: string, purpose: RequestPurpose, requests: PlannedRequests): Promise<PaceRefusal | undefined>;
  /**
   * Takes what many requests that write cost, from slots to come: for requests that are made at once and would not fit into
   * the present slot. What the last minute has used and what the next one takes stay below what the CI system allows. Takes
   * none while registrations wait.
   *
   * @returns how many of them may be made
   * @throws TransientError StoreUnavailable
   */
  takeAhead(ciSystem: string, writes: number): Promise<number>;
  /** Reads the pause that a function has shared. @returns undefined when there is none. @throws TransientError StoreUnavailable */
  pauseOf(ciSystem: string): Promise<PaceRefusal | undefined>;
  /**
   * Shares a pause that the CI system's answers have asked this process for, so that no other function asks meanwhile.
   *
   * @throws TransientError StoreUnavailable
   */
  heed(ciSystem: string, ci: Pick<CiSystem, 'usage'>): Promise<void>;
}

/** The dependencies of a pace. */
export interface SystemPaceDeps {
  ciSystems: readonly (EventSource & { name: string })[];
  requestPace: RequestPace;
  nowEpochMs: () => number;
}

/** Makes the pace of all functions' requests. */
export function createSystemPace({ ciSystems, requestPace, nowEpochMs }: SystemPaceDeps): SystemPace {
  const points = new Map(ciSystems.map((system) => [system.name, requestPointsOf(system)]));

  async function takePoints(
    ciSystem: string,
    purpose: RequestPurpose,
    { reads = 0, writes = 0 }: PlannedRequests,
  ): Promise<PaceRefusal | undefined> {
    const allowed = points.get(ciSystem);
    if (allowed === undefined) return undefined;
    const slot = slotOf(nowEpochMs());
    const needed: PointsNeeded = {
      ciSystem,
      slot,
      points: reads * allowed.ofRead + writes * allowed.ofWrite,
      most: mostOfSlot(allowed, purpose),
      ...(purpose === 'doubt' ? { yields: true } : {}),
    };
    if ((await requestPace.take(needed)) === undefined) return undefined;
    const untilEpochMs = purpose === 'registration' ? await takeNext(allowed, needed) : slotStart(slot + 1);
    if (untilEpochMs === undefined) return undefined;
    return { untilEpochMs, detail: wordsOf(ciSystem, purpose, allowed, untilEpochMs - nowEpochMs()), isPaused: false };
  }

  /** Takes the points of a registration from the next slot that has them, after a quiet minute. @returns when its turn comes */
  async function takeNext(allowed: RequestPoints, needed: PointsNeeded): Promise<number | undefined> {
    const { ciSystem, slot, points: wanted, most } = needed;
    const used = await requestPace.usedIn(ciSystem, slotsAround(slot));
    const next = slotsAfter(slot).slice(0, slotsAhead(allowed, slot, used));
    for (const each of next.filter((later) => (used.get(later) ?? 0) + wanted <= most)) {
      if ((await requestPace.take({ ...needed, slot: each })) === undefined) return undefined;
    }
    const refusal = await requestPace.take({ ...needed, waits: true });
    return refusal && turnOf(allowed, next.at(-1) ?? slot, refusal.refused);
  }

  async function pauseOf(ciSystem: string): Promise<PaceRefusal | undefined> {
    const untilEpochMs = await requestPace.pausedUntil(ciSystem);
    if (untilEpochMs <= nowEpochMs()) return undefined;
    const detail = `${ciSystem} accepts no requests until ${isoTime(untilEpochMs)}`;
    return { untilEpochMs, detail, isPaused: true };
  }

  async function takeAhead(ciSystem: string, writes: number): Promise<number> {
    const allowed = points.get(ciSystem);
    if (allowed === undefined || writes === 0) return writes;
    const slot = slotOf(nowEpochMs());
    if ((await takePoints(ciSystem, 'doubt', {})) !== undefined) return 0;
    const used = await requestPace.usedIn(ciSystem, slotsAround(slot));
    const wanted = Math.min(writes * allowed.ofWrite, roomAhead(allowed, slot, used));
    const most = mostOfSlot(allowed, 'doubt');
    const ofSlot = Math.max(allowed.ofWrite, Math.ceil(wanted / slotsAfter(slot).length));
    let taken = 0;
    for (const each of slotsAfter(slot)) {
      const share = Math.min(ofSlot, wanted - taken);
      if (share <= 0) break;
      const refusal = await requestPace.take({ ciSystem, slot: each, points: share, most });
      if (refusal === undefined) taken += share;
    }
    return Math.floor(taken / allowed.ofWrite);
  }

  return {
    takeAhead,
    pointsOf: (ciSystem) => points.get(ciSystem),
    pauseOf,
    take: async (ciSystem, purpose, requests) => {
      // Points that a pause makes useless do no harm, and the two requests take the time of one.
      const [pause, refusal] = await Promise.all([pauseOf(ciSystem), takePoints(ciSystem, purpose, requests)]);
      return pause ?? refusal;
    },
    heed: async (ciSystem, ci) => {
      const { pausedUntilEpochMs = 0 } = ci.usage();
      if (pausedUntilEpochMs > nowEpochMs()) await requestPace.pause(ciSystem, Math.floor(pausedUntilEpochMs));
    },
  };
}

function wordsOf(ciSystem: string, purpose: RequestPurpose, points: RequestPoints, inMs: number): string {
  if (purpose !== 'registration') return `${ciSystem} has no room for more requests in this minute`;
  const seconds = Math.max(1, Math.ceil(inMs / 1000));
  return `${ciSystem} takes ${registrationsAMinute(points)} registrations a minute: this agent's turn comes in about ${seconds} s`;
}

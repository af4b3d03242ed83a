import type { Ending } from '../../core/launch/launch-record.ts';
import { deadlines } from '../world/profiles.ts';
import { graceSeconds } from '../world/world.ts';
import { type Evidence, type Invariant, isUntroubled, type LaunchLife } from './evidence.ts';
import { isPinnedJobOver, isTakenByAnother, skewMs } from './queue-agents.ts';
import { ranOnOwnAgent } from './strangers.ts';

const order = ['launching', 'connected', 'cleaning', 'failed', 'terminated'];

/** davit sets a record's status, and never toggles it (Tails' enable_node). */
export const onlyForward: Invariant = {
  name: "records: a launch's status only ever moves forward",
  *check(evidence) {
    for (const { launchId, from, to } of evidence.of('recorded')) {
      const isOver = from === 'failed' || from === 'terminated';
      if (from !== undefined && (isOver || order.indexOf(to) <= order.indexOf(from))) {
        yield `${launchId} went from ${from} to ${to}`;
      }
    }
  },
};

/** A completed job that ran elsewhere, or never ran while its launch's agent had connected, ends nothing: invariant 15. */
function endsByJob(evidence: Evidence, life: LaunchLife | undefined, acceptedAtEpochMs: number): boolean {
  if (life === undefined) return false;
  const hadConnected = (life.connectedAtEpochMs ?? Infinity) <= acceptedAtEpochMs;
  return !hadConnected || ranOnOwnAgent(evidence, life.launchId, acceptedAtEpochMs);
}

/** Invariant 6 of docs/invariants.md. */
export const nothingLost: Invariant = {
  name: '6: an accepted webhook is never lost',
  *check(evidence) {
    for (const { launchId, door, statusCode, atEpochMs } of evidence.of('asked')) {
      const life = evidence.lifeOf(launchId);
      if (statusCode >= 300 || (life?.isSecond && atEpochMs < (life.events[0]?.atEpochMs ?? 0))) continue;
      const status = life?.record?.status;
      if (status === undefined) yield `${door} of ${launchId} was accepted, and there is no record of it`;
      if (status === 'launching') yield `${launchId} was accepted, and is neither connected nor over`;
      const endsIt = door === 'delete' || (door === 'completed' && endsByJob(evidence, life, atEpochMs));
      if (endsIt && status === 'connected') yield `${door} of ${launchId} was accepted, and it is not over`;
    }
  },
};

const infrastructure: ReadonlySet<string> = new Set(['podEvicted', 'podPreempted', 'nodeLost', 'spotReclaimed']);

/** A launch without a cause to fail succeeds, as does one whose Pods infrastructure took no more often than allowed. */
export const untroubledConnect: Invariant = {
  name: 'progress: a launch that met nothing harmful, or lost no more Pods than it may, connects',
  *check(evidence) {
    for (const life of evidence.launches.values()) {
      const { launchId, record, ending, faults, events } = life;
      if (life.isSecond || record?.plan === undefined || record.connectedAtEpochMs !== undefined) continue;
      // An agent that is no longer wanted need not connect.
      if (record.retiring !== undefined) continue;
      if (hasBegunLate(life) && (hasTroubledSweeps(evidence) || isLeftUnswept(evidence, life))) continue;
      if (ending !== undefined && isEndedByItsJob(evidence, life, ending)) continue;
      const hits = events.filter((event) => event.kind === 'fault' && infrastructure.has(event.fault)).length;
      // A node takes the Pods of all launches that it has, and only one of them has met the fault.
      const takenPods = evidence.objectsOf(launchId).filter(({ taken }) => taken.length > 0).length;
      const takenTimes = Math.max(hits, takenPods);
      const others = new Set([...faults].filter((fault) => !infrastructure.has(fault)));
      if (takenTimes > record.plan.maxRelaunches || !isUntroubled({ ...life, faults: others })) continue;
      yield `${launchId} did not connect: ${ending?.message ?? record.status}`;
    }
  },
};

/** When a sweep at the latest starts a launch whose function was interrupted, if the sweeps themselves are not. */
const sweptMs = 300_000;
/** For how long a sweep leaves a new launch to the process that requested it, with a bit for clocks. */
const leftMs = graceSeconds * 1000 + 5000;

function hasBegunLate({ events, recorded }: LaunchLife): boolean {
  const started = events.find(({ kind }) => kind === 'executionStarted');
  return (started?.atEpochMs ?? Infinity) - (recorded[0]?.atEpochMs ?? 0) > sweptMs;
}

/**
 * Says whether the function that requested the launch died just then, and no sweep began while it had to start the launch:
 * a world may be without sweeps between its two parts.
 */
function isLeftUnswept(evidence: Evidence, { recorded }: LaunchLife): boolean {
  const requestedAtEpochMs = recorded[0]?.atEpochMs ?? 0;
  const hasDied = [...evidence.of('died')].some(({ atEpochMs }) => isWithin(atEpochMs - requestedAtEpochMs, 0, 5000));
  const sweeps = [...evidence.of('sweptAll')].map(({ beganAtEpochMs }) => beganAtEpochMs - requestedAtEpochMs);
  return hasDied && !sweeps.some((afterMs) => isWithin(afterMs, leftMs, sweptMs));
}

function isWithin(ms: number, fromMs: number, toMs: number): boolean {
  return ms >= fromMs && ms <= toMs;
}

/** Says whether something harmful hit a sweep, which is a function of no launch. */
function hasTroubledSweeps({ launches }: Evidence): boolean {
  const sweeps = launches.get('sweep');
  return sweeps !== undefined && !isUntroubled(sweeps);
}

/** Says whether the only job that the launch's agent may run was over, or another agent's. */
function isEndedByItsJob(evidence: Evidence, life: LaunchLife, ending: Ending): boolean {
  return isTakenByAnother(evidence, life, ending) || isPinnedJobOver(evidence, life, ending.atEpochMs + skewMs);
}

const generations = 4;
const slackSeconds = 3600;
const longestSeconds = Object.values(deadlines).reduce((sum, seconds) => sum + seconds, 0) * generations + slackSeconds;

/** All deadlines of all generations, and an hour for interrupted functions and the clean-up. */
export const endsInTime: Invariant = {
  name: 'progress: an execution ends within its deadlines',
  *check(evidence) {
    const startedAt = new Map<string, number>();
    for (const { launchId, atEpochMs } of evidence.of('executionStarted')) startedAt.set(launchId, atEpochMs);
    for (const { launchId, atEpochMs } of evidence.of('executionEnded')) {
      const tookSeconds = (atEpochMs - (startedAt.get(launchId) ?? 0)) / 1000;
      if (tookSeconds > longestSeconds) yield `the execution of ${launchId} took ${Math.round(tookSeconds)} s`;
    }
  },
};

/** Invariant 8 of docs/invariants.md, for all that davit shows: answers, errors, state data, records, events, reports. */
export const secretsKept: Invariant = {
  name: '8: no secret leaves the places that are meant to hold it',
  *check(evidence) {
    for (const { launchId, where } of evidence.of('leaked')) yield `a secret of ${launchId} is in what ${where} shows`;
  },
};

/** davit throws only its own errors, whatever faults hit it. */
export const noDefects: Invariant = {
  name: "defects: no function throws what is not an error of davit's",
  *check(evidence) {
    for (const { functionName, error } of evidence.of('defect')) yield `${functionName}: ${error}`;
  },
};

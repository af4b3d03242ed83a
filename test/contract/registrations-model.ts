import * as fc from 'fast-check';
import type { LaunchRecord } from '../../core/launch/launch-record.ts';
import { agentNameOf } from '../../core/launch/names.ts';
import { nextGeneration } from '../../core/launch/plan-launch.ts';
import type { Launches } from '../../ports/launches.ts';
import type { Registrations } from '../../ports/registrations.ts';
import { agentOf, endingOf, epochMs, jobRunner, warmPlanOf } from './launch-fixtures.ts';

/** The two ports over one launches table. */
export interface RegistrationsUnderTest {
  launches: Launches;
  registrations: Registrations;
}

/** A call about one launch: its effect and answer by the specification, and the call itself. */
interface Effect {
  /** @returns the record after the call, and the part of the answer to compare */
  expected: (record: LaunchRecord) => { record: LaunchRecord; answer: unknown };
  made: (table: RegistrationsUnderTest, launchId: string) => Promise<unknown>;
}

/** A call about one launch: its effect and answer by the specification, and the call itself. */
export interface Call extends Effect {
  title: string;
}

const nonces = ['one', 'two', 'three'];
const generations = [1, 2];
const askedAt = [epochMs + 1, epochMs + 2];
const runners = [7, 9];
const jobKeys = ['gitea/1/8/1', 'gitea/1/9/1'];

/** Any call, with few different values, so that calls affect the same ones. */
export const anyCall: fc.Arbitrary<Call> = fc.oneof(
  weighted(3, beginCall, generations, nonces, askedAt),
  weighted(2, takeCall, generations, nonces, nonces),
  weighted(4, completeCall, generations, nonces, runners),
  weighted(2, bindCall, runners, jobKeys, [undefined, 'success', 'failure']),
  weighted(1, retireCall),
  weighted(2, noteDeregisteredCall, runners),
  weighted(1, markConnectedCall, generations),
  weighted(2, standByCall, generations),
  weighted(1, renewalCall, generations, [1, 2]),
  weighted(2, summonCall, jobKeys),
  weighted(1, relaunchCall),
  weighted(1, endCall, [true, false], [true, false]),
);

/** A call with any of the values, each of its own list. */
function weighted<Values extends unknown[]>(
  weight: number,
  call: (...values: Values) => Effect,
  ...lists: { [Index in keyof Values]: readonly Values[Index][] }
): fc.WeightedArbitrary<Call> {
  const values = fc.tuple(...lists.map((list) => fc.constantFrom(...list)));
  const titled = (drawn: Values) => ({ title: `${call.name} ${drawn.join(' ')}`, ...call(...drawn) });
  return { weight, arbitrary: values.map((drawn) => titled(drawn as Values)) };
}

function isLive({ status }: LaunchRecord): boolean {
  return status === 'launching' || status === 'connected';
}

function isJoinableBy(record: LaunchRecord, generation: number): boolean {
  return isLive(record) && !record.retiring && !record.runs && record.plan?.generation === generation;
}

function beginCall(generation: number, nonce: string, askedAtEpochMs: number): Effect {
  return {
    expected: (record) => {
      if (!isJoinableBy(record, generation)) return { record, answer: false };
      const { registration } = record;
      if (record.standby !== undefined && record.standby.summons === undefined) return { record, answer: false };
      const isLate = registration !== undefined && registration.begunAtEpochMs >= askedAtEpochMs;
      if (isLate) return { record, answer: registration.nonce === nonce };
      if (registration?.nonce === nonce) return { record, answer: true };
      const { count = 0, isTaken } = registration ?? {};
      const begun = { nonce, begunAtEpochMs: askedAtEpochMs, count: count + 1, ...(isTaken && { isTaken }) };
      return { record: { ...record, registration: begun }, answer: true };
    },
    made: async ({ registrations }, launchId) => {
      const record = await registrations.begin(agentOf(launchId, generation), nonce, askedAtEpochMs);
      return record?.registration?.nonce === nonce;
    },
  };
}

function takeCall(generation: number, nonce: string, own: string): Effect {
  return {
    expected: (record) => {
      const { registration } = record;
      if (registration === undefined || !isJoinableBy(record, generation)) return { record, answer: false };
      if (registration.nonce !== nonce) return { record, answer: registration.nonce === own };
      return { record: { ...record, registration: { ...registration, nonce: own, isTaken: true } }, answer: true };
    },
    made: async ({ registrations }, launchId) => {
      const record = await registrations.take(agentOf(launchId, generation), nonce, own);
      return record?.registration?.nonce === own;
    },
  };
}

function completeCall(generation: number, nonce: string, runnerId: number): Effect {
  const runner = { id: runnerId, name: `runner-${runnerId}` };
  const atEpochMs = epochMs + runnerId;
  return {
    expected: (before) => {
      const { deregisteredAtEpochMs, signal: _signal, registration: begun, ...kept } = before;
      const isFree =
        before.runner === undefined || before.runner.id === runner.id || deregisteredAtEpochMs !== undefined;
      if (!isJoinableBy(before, generation) || begun?.nonce !== nonce || !isFree)
        return { record: before, answer: undefined };
      const connectedAtEpochMs = before.connectedAtEpochMs ?? atEpochMs;
      const registration = { ...begun, isComplete: true as const };
      const after = { ...kept, status: 'connected' as const, registration, runner, connectedAtEpochMs };
      return { record: after, answer: before.plan?.agentName };
    },
    made: async ({ registrations }, launchId) => {
      const plan = await registrations.complete(agentOf(launchId, generation), nonce, runner, atEpochMs);
      return plan?.agentName;
    },
  };
}

/** @param conclusion set if the job is over */
function bindCall(runnerId: number, jobKey: string, conclusion: string | undefined): Effect {
  const end = conclusion === undefined ? undefined : { conclusion, atEpochMs: epochMs + 2 };
  return {
    expected: (record) => {
      if (record.runner?.id !== runnerId) return { record, answer: undefined };
      const runs = record.runs ?? { jobKey, sinceEpochMs: epochMs + 2 };
      const ran = record.ran ?? (runs.jobKey === jobKey ? end : undefined);
      return { record: { ...record, runs, ...(ran && { ran }) }, answer: runs.jobKey };
    },
    made: async ({ registrations }, launchId) => {
      const record = await registrations.bind(
        launchId,
        jobRunner(runnerId),
        { jobKey, ...(end && { end }) },
        epochMs + 2,
      );
      return record?.runs?.jobKey;
    },
  };
}

function retireCall(): Effect {
  return {
    expected: (record) => {
      if (!isLive(record) || record.runs) return { record, answer: record.retiring !== undefined };
      const retiring = record.retiring ?? { reason: 'surplus', sinceEpochMs: epochMs + 3 };
      return { record: { ...record, retiring }, answer: true };
    },
    made: async ({ registrations }, launchId) => {
      const record = await registrations.retire(launchId, 'surplus', epochMs + 3);
      return record?.retiring !== undefined;
    },
  };
}

function noteDeregisteredCall(runnerId: number): Effect {
  return {
    expected: (record) => {
      if (record.runner?.id !== runnerId) return { record, answer: undefined };
      const deregisteredAtEpochMs = record.deregisteredAtEpochMs ?? epochMs + 4;
      return { record: { ...record, deregisteredAtEpochMs }, answer: undefined };
    },
    made: ({ registrations }, launchId) => registrations.noteDeregistered(launchId, runnerId, epochMs + 4),
  };
}

function markConnectedCall(generation: number): Effect {
  return {
    expected: (record) => ({ record, answer: undefined }),
    made: ({ launches }, launchId) => launches.markConnected(agentOf(launchId, generation), epochMs + 5),
  };
}

function standByCall(generation: number): Effect {
  const atEpochMs = epochMs + 7;
  return {
    expected: (record) => {
      if (!isJoinableBy(record, generation)) return { record, answer: undefined };
      const { signal: _signal, ...kept } = record;
      const isFree = record.registration === undefined && record.standby === undefined;
      const standby = { sinceEpochMs: atEpochMs };
      const after = isFree ? { ...kept, status: 'connected' as const, connectedAtEpochMs: atEpochMs, standby } : record;
      return { record: after, answer: after.standby ?? 'none' };
    },
    made: async ({ registrations }, launchId) => {
      const record = await registrations.standBy(agentOf(launchId, generation), atEpochMs);
      return record && (record.standby ?? 'none');
    },
  };
}

function renewalCall(generation: number, renewals: number): Effect {
  return {
    expected: (record) => {
      if (!isJoinableBy(record, generation)) return { record, answer: undefined };
      const { standby } = record;
      const isNews = standby !== undefined && (standby.renewals ?? 0) < renewals;
      const after = isNews ? { ...record, standby: { ...standby, renewals } } : record;
      return { record: after, answer: after.standby?.renewals ?? 0 };
    },
    made: async ({ registrations }, launchId) => {
      const record = await registrations.noteRenewal(agentOf(launchId, generation), renewals);
      return record && (record.standby?.renewals ?? 0);
    },
  };
}

function summonCall(jobKey: string): Effect {
  const atEpochMs = epochMs + 8;
  return {
    expected: (record) => {
      const { standby } = record;
      const isFree = isLive(record) && !record.retiring && standby !== undefined && standby.summons === undefined;
      const after = isFree ? { ...record, standby: { ...standby, summons: { jobKey, atEpochMs } } } : record;
      const isComing = isLive(record) && !record.retiring && !record.runs;
      return { record: after, answer: isComing && after.standby?.summons?.jobKey === jobKey };
    },
    made: ({ registrations }, launchId) => registrations.summon(launchId, jobKey, atEpochMs),
  };
}

function relaunchCall(): Effect {
  const ended = { code: 'PodEvicted', message: 'PodEvicted: drained', endedAtEpochMs: epochMs + 6 };
  return {
    expected: (record) => {
      if (record.status !== 'launching' || record.plan?.generation !== 1) return { record, answer: undefined };
      const { signal: _signal, registration: _registration, ...kept } = record;
      const { agentName } = record.plan;
      const plan = nextGeneration(record.plan, epochMs + 6);
      return { record: { ...kept, plan, generations: [{ agentName, ...ended }] }, answer: undefined };
    },
    made: async ({ launches }, launchId) => {
      const plan = nextGeneration(warmPlanOf(launchId), epochMs + 6);
      await launches.relaunch(plan, { agentName: agentNameOf(launchId), ...ended });
    },
  };
}

function endCall(unlessConnected: boolean, unlessRunning: boolean): Effect {
  const options = { unlessConnected, unlessRunning };
  return {
    expected: (record) => {
      const isSpared =
        !isLive(record) ||
        (unlessConnected && record.status === 'connected') ||
        (unlessRunning && record.runs !== undefined);
      if (isSpared) return { record, answer: isLive(record) };
      return { record: { ...record, status: 'cleaning', ending: endingOf() }, answer: false };
    },
    made: async ({ launches }, launchId) => {
      const record = await launches.end(launchId, endingOf(), options);
      return record !== undefined && isLive(record);
    },
  };
}

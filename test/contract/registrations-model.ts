import * as fc from 'fast-check';
import type { CiRunner } from '../../functions/domain/ci-scope.ts';
import type { LaunchRecord } from '../../functions/domain/launch-record.ts';
import { agentNameOf } from '../../functions/domain/names.ts';
import { nextGeneration } from '../../functions/domain/plan-launch.ts';
import type { Launches } from '../../functions/ports/launches.ts';
import type { Registrations } from '../../functions/ports/registrations.ts';
import { agentOf, endingOf, epochMs, joinedPlanOf } from './launch-fixtures.ts';

/** The two ports over one launches table. */
export interface RegistrationsUnderTest {
  launches: Launches;
  registrations: Registrations;
}

/** One call about one launch: what it does to the record and answers by the specification, and the call itself. */
export interface Call {
  title: string;
  /** @returns the record as it is then, and the answer, as far as it matters */
  expected: (record: LaunchRecord) => { record: LaunchRecord; answer: unknown };
  made: (table: RegistrationsUnderTest, launchId: string) => Promise<unknown>;
}

const nonces = ['one', 'two', 'three'];
const generations = [1, 2];
const runners = [7, 9];
const jobKeys = ['gitea/1/8/1', 'gitea/1/9/1'];

/** Any call, of few enough values that they meet. */
export const anyCall: fc.Arbitrary<Call> = fc.oneof(
  { weight: 3, arbitrary: fc.tuple(anyOf(generations), anyOf(nonces)).map(([of, nonce]) => beginCall(of, nonce)) },
  {
    weight: 4,
    arbitrary: fc
      .tuple(anyOf(generations), anyOf(nonces), anyOf(runners))
      .map(([of, nonce, id]) => completeCall(of, nonce, { id, name: `runner-${id}` })),
  },
  { weight: 2, arbitrary: fc.tuple(anyOf(runners), anyOf(jobKeys)).map(([id, jobKey]) => bindCall(id, jobKey)) },
  { weight: 1, arbitrary: fc.constant(retireCall()) },
  { weight: 2, arbitrary: anyOf(runners).map(noteDeregisteredCall) },
  { weight: 1, arbitrary: anyOf(generations).map(markConnectedCall) },
  { weight: 1, arbitrary: fc.constant(relaunchCall()) },
  { weight: 1, arbitrary: fc.tuple(fc.boolean(), fc.boolean()).map(([one, other]) => endCall(one, other)) },
);

function anyOf<Value>(values: readonly Value[]): fc.Arbitrary<Value> {
  return fc.constantFrom(...values);
}

function isLive({ status }: LaunchRecord): boolean {
  return status === 'launching' || status === 'connected';
}

function isJoinableBy(record: LaunchRecord, generation: number): boolean {
  return isLive(record) && !record.retiring && !record.runs && record.plan?.generation === generation;
}

function beginCall(generation: number, nonce: string): Call {
  return {
    title: `begin ${generation} ${nonce}`,
    expected: (record) => {
      if (!isJoinableBy(record, generation)) return { record, answer: false };
      const count = (record.registration?.count ?? 0) + 1;
      return { record: { ...record, registration: { nonce, begunAtEpochMs: epochMs + 1, count } }, answer: true };
    },
    made: async ({ registrations }, launchId) => {
      const record = await registrations.begin(agentOf(launchId, generation), nonce, epochMs + 1);
      return record?.registration?.nonce === nonce;
    },
  };
}

function completeCall(generation: number, nonce: string, runner: CiRunner): Call {
  const atEpochMs = epochMs + runner.id;
  return {
    title: `complete ${generation} ${nonce} ${runner.id}`,
    expected: (before) => {
      const { deregisteredAtEpochMs, signal: _signal, ...kept } = before;
      const isFree =
        before.runner === undefined || before.runner.id === runner.id || deregisteredAtEpochMs !== undefined;
      const completes = isJoinableBy(before, generation) && before.registration?.nonce === nonce && isFree;
      if (!completes) return { record: before, answer: undefined };
      const connectedAtEpochMs = before.connectedAtEpochMs ?? atEpochMs;
      return { record: { ...kept, status: 'connected', runner, connectedAtEpochMs }, answer: agentNameAt(before) };
    },
    made: async ({ registrations }, launchId) => {
      const plan = await registrations.complete(agentOf(launchId, generation), nonce, runner, atEpochMs);
      return plan?.agentName;
    },
  };
}

function bindCall(runnerId: number, jobKey: string): Call {
  return {
    title: `bind ${runnerId} ${jobKey}`,
    expected: (record) => {
      if (record.runner?.id !== runnerId) return { record, answer: undefined };
      const runs = record.runs ?? { jobKey, sinceEpochMs: epochMs + 2 };
      return { record: { ...record, runs }, answer: runs.jobKey };
    },
    made: async ({ registrations }, launchId) => {
      const record = await registrations.bind(launchId, runnerId, jobKey, epochMs + 2);
      return record?.runs?.jobKey;
    },
  };
}

function retireCall(): Call {
  return {
    title: 'retire',
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

function noteDeregisteredCall(runnerId: number): Call {
  return {
    title: `noteDeregistered ${runnerId}`,
    expected: (record) => {
      if (record.runner?.id !== runnerId) return { record, answer: undefined };
      const deregisteredAtEpochMs = record.deregisteredAtEpochMs ?? epochMs + 4;
      return { record: { ...record, deregisteredAtEpochMs }, answer: undefined };
    },
    made: ({ registrations }, launchId) => registrations.noteDeregistered(launchId, runnerId, epochMs + 4),
  };
}

function markConnectedCall(generation: number): Call {
  return {
    title: `markConnected ${generation}`,
    expected: (record) => ({ record, answer: undefined }),
    made: ({ launches }, launchId) => launches.markConnected(agentOf(launchId, generation), epochMs + 5),
  };
}

function relaunchCall(): Call {
  const ended = { code: 'PodEvicted', message: 'PodEvicted: drained', endedAtEpochMs: epochMs + 6 };
  return {
    title: 'relaunch 1',
    expected: (record) => {
      if (record.status !== 'launching' || record.plan?.generation !== 1) return { record, answer: undefined };
      const { signal: _signal, registration: _registration, ...kept } = record;
      const { agentName } = record.plan;
      const plan = nextGeneration(record.plan, epochMs + 6);
      return { record: { ...kept, plan, generations: [{ agentName, ...ended }] }, answer: undefined };
    },
    made: async ({ launches }, launchId) => {
      const plan = nextGeneration(joinedPlanOf(launchId), epochMs + 6);
      await launches.relaunch(plan, { agentName: agentNameOf(launchId), ...ended });
    },
  };
}

function endCall(unlessConnected: boolean, unlessRunning: boolean): Call {
  const options = { unlessConnected, unlessRunning };
  return {
    title: `end ${JSON.stringify(options)}`,
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

function agentNameAt({ plan }: LaunchRecord): string | undefined {
  return plan?.agentName;
}

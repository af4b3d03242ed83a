import type { LaunchRecord } from '../../../../core/launch/launch-record.ts';
import { agentNameOf } from '../../../../core/launch/names.ts';
import type * as Transitions from '../../../../core/launch/transitions.ts';
import { writtenLaunch } from '../../../../core/trace/written-of.ts';
import type { Transition } from '../../../../core/transition.ts';
import { Random, seedOf } from '../../../../simulation/world/random.ts';
import type { NumberedLine } from '../../../../verify/trace/step.ts';
import {
  endingOf,
  epochMs,
  jobRunner,
  joinedPlanOf,
  planOf,
  recordOf,
  signalOf,
  warmPlanOf,
} from '../../../contract/launch-fixtures.ts';

const launchId = 'gitea-1-2-1';
const commands = 60;

type NamedTransition = [command: string, transition: Transition<LaunchRecord>];

/**
 * Runs random commands on one launch, as functions may send them: late, twice, in any order. Sends only commands that a
 * function of davit sends: a transition may rely on what that function has checked before.
 *
 * @param transitions davit's own, or ones with a mistake in them
 * @returns the trace
 */
export function randomLaunch(transitions: typeof Transitions, seed: number): NumberedLine[] {
  const random = new Random(seedOf(seed, 'transitions'));
  const hold = { holdFailedSeconds: 10 };
  const planned = random.pick([warmPlanOf, warmPlanOf, joinedPlanOf, joinedPlanOf, planOf]);
  const plan = planned(launchId, hold);
  const lines: NumberedLine[] = [];
  let record: LaunchRecord | undefined;
  let revision = epochMs;
  const run = ([command, transition]: NamedTransition, atEpochMs: number) => {
    const after = transition(record);
    if (after === undefined || after === record) return;
    record = after;
    revision += 1;
    const written = { kind: 'launch', key: launchId, revision, command, fields: writtenLaunch(after) } as const;
    lines.push({ line: lines.length + 1, atEpochMs, written });
  };
  const request: NamedTransition = ['request', transitions.request(recordOf(launchId, { plan }))];
  run(request, epochMs);
  for (let step = 1; step <= commands; step += 1) {
    const atEpochMs = epochMs + step * 1000;
    // A webhook comes again.
    if (random.chance(0.1)) run(request, atEpochMs);
    for (const command of random.pick(senders)(transitions, record, random, atEpochMs)) run(command, atEpochMs);
  }
  return lines;
}

type Sender = (
  transitions: typeof Transitions,
  record: LaunchRecord | undefined,
  random: Random,
  atEpochMs: number,
) => NamedTransition[];

/** The name of the present agent, or of an earlier one that is late. */
function someAgent(record: LaunchRecord | undefined, random: Random): string {
  return random.chance(0.7) ? (record?.plan?.agentName ?? '') : agentNameOf(launchId, random.whole(1, 3));
}

const nonces = ['a', 'b', 'c', 'd'] as const;
const jobs = ['gitea/1/2/1', 'gitea/1/3/1', 'hub/1/2/1'] as const;

/** What each function of davit sends to a launch. */
const senders: readonly Sender[] = [
  (t, record, random, at) => [['noteSignal', t.noteSignal(signalOf({ sinceEpochMs: at }), someAgent(record, random))]],
  (t, record, random, at) => {
    const state = { detail: `the Pod at ${at}`, atEpochMs: at };
    return [['notePodState', t.notePodState(state, someAgent(record, random), {})]];
  },
  (t, record, random) => [['noteTimeline', t.noteTimeline(someAgent(record, random), { tokenMs: random.whole(1, 9) })]],
  (t, _record, _random, at) => [['clearSignal', t.clearSignal(at)]],
  (t, record, random, at) => [['markConnected', t.markConnected(someAgent(record, random), at)]],
  (t, record, random, at) => {
    // connect asks for a registration only where the agent joins a CI system.
    if (record?.plan?.join === undefined) return [];
    const askedAtEpochMs = at - random.pick([0, 5000]);
    return [['begin', t.beginRegistration(someAgent(record, random), `${random.pick(nonces)} ${at}`, askedAtEpochMs)]];
  },
  (t, record, random, at) => {
    // connect lets agents stand by that join a CI system.
    if (record?.plan?.join === undefined) return [];
    return [['standBy', t.standBy(someAgent(record, random), at)]];
  },
  (t, record, random) => [['noteRenewal', t.noteRenewal(someAgent(record, random), random.whole(1, 3))]],
  (t, _record, random, at) => [['summon', t.summon(random.pick(jobs), at)]],
  (t, record, random) => {
    const nonce = random.chance(0.7) ? (record?.registration?.nonce ?? 'none') : 'late';
    return [['take', t.takeRegistration(someAgent(record, random), nonce, `${nonce} taken`)]];
  },
  (t, record, random, at) => {
    const nonce = random.chance(0.8) ? (record?.registration?.nonce ?? 'none') : 'late';
    const id = random.whole(7, 9);
    return [['complete', t.completeRegistration(someAgent(record, random), nonce, { id, name: `runner-${id}` }, at)]];
  },
  (t, _record, random, at) => {
    const jobKey = random.pick(jobs);
    const by = jobRunner(random.whole(7, 9), { ciSystem: jobKey.split('/')[0] ?? '' });
    const over = random.chance(0.5) ? { end: { atEpochMs: at } } : {};
    return [['bind', t.bindJob(by, { jobKey, ...over }, at)]];
  },
  (t, _record, random, at) => [['noteDeregistered', t.noteDeregistered(random.whole(7, 9), at)]],
  relaunched,
  retired,
  ended,
  (t, _record, _random, at) => [['claimCleanUp', t.claimCleanUp(at, at - 3000)]],
  (t, _record, random, at) => [
    random.chance(0.5)
      ? ['markCleaned', t.markCleaned(at)]
      : ['markLeft', t.markLeft({ clusters: ['west'], atEpochMs: at })],
  ],
];

function relaunched(
  t: typeof Transitions,
  record: LaunchRecord | undefined,
  random: Random,
  at: number,
): NamedTransition[] {
  const { plan } = record ?? {};
  if (plan === undefined) return [];
  // A late run of the state Relaunch has the plan of an earlier generation.
  const generation = random.chance(0.7) ? plan.generation : random.whole(1, plan.generation);
  const agentName = agentNameOf(launchId, generation);
  const next = { ...plan, agentName: agentNameOf(launchId, generation + 1), generation: generation + 1 };
  const over = { agentName, cluster: plan.cluster, code: 'PodEvicted', message: 'evicted', endedAtEpochMs: at };
  return generation > 8 ? [] : [['relaunch', t.relaunch(next, over)]];
}

/** retire-runner ends a launch only if its mark is there. */
function retired(
  t: typeof Transitions,
  record: LaunchRecord | undefined,
  _random: Random,
  at: number,
): NamedTransition[] {
  const mark: NamedTransition = ['retire', t.markRetiring('surplus', at)];
  if (record?.retiring === undefined) return [mark];
  return [['end', t.end(endingOf({ by: 'reconcile', atEpochMs: at }), { unlessRunning: true })]];
}

function ended(t: typeof Transitions, record: LaunchRecord | undefined, random: Random, at: number): NamedTransition[] {
  // Longer lives show more.
  if (!random.chance(0.2)) return [];
  const [by, options] = random.pick([
    ['the state machine', { unlessConnected: true }],
    ['Step Functions', { unlessConnected: true }],
    ['DELETE /launches', {}],
    ['gitea workflow_job completed (success)', record?.runs === undefined ? { unlessConnected: true } : {}],
  ] as const);
  const kind = by === 'DELETE /launches' ? 'person' : 'davit';
  return [['end', t.end(endingOf({ by, actor: { kind, name: by }, atEpochMs: at }), options)]];
}

import { named } from '../../../support/named.ts';
import type { Provocation } from './provoked-world.ts';

/** A protocol mistake: a small edit of a source, which makes davit wrong. */
export interface Mistake {
  name: string;
  of:
    | 'registration'
    | 'retire'
    | 'relaunch'
    | 'failover'
    | 'limits'
    | 'warm'
    | 'reconcile'
    | 'connect'
    | 'webhook'
    | 'sweep';
  file: string;
  /** A text that the file has exactly once. */
  old: string;
  new: string;
  /** What goes wrong. */
  harm: string;
  /** The title of the broken variant of the model, in `test/prove/model/checks.ts`, that is the same mistake. */
  model?: string;
  /** What provokes it. Every second world is such a world then. @default worlds as they come */
  provoked?: Provocation;
  /** The folders of the unit tests that could see it. @default those of the file's folder */
  tests?: readonly string[];
}

const transitions = 'core/launch/transitions.ts';
const ofTransitions = ['test/unit/core', 'test/unit/adapters'];

/**
 * Twenty mistakes that a person could make, written from the functions and from the list of an earlier attack, without
 * a look at the tests and the mutants: nobody chose them by what sees them.
 */
export const mistakes: readonly Mistake[] = named<Omit<Mistake, 'name'>>({
  'used-agent-registers-again': {
    of: 'registration',
    file: 'functions/register-runner/register-runner.ts',
    old: "(await ci.removeIfIdle(join.scope, runner.id, join.pinnedTo)) !== 'removed') return",
    new: "(await ci.removeIfIdle(join.scope, runner.id, join.pinnedTo)) === 'busy') return",
    harm: "An agent whose runner is gone, because it ran its job, registers again and gets another job's secrets.",
  },
  'registration-completes-while-retiring': {
    of: 'registration',
    file: transitions,
    old: 'if (!isJoinable(record, agentName) || registration?.nonce !== nonce || !mayHold) return record;',
    new: 'if (!isLive(record) || registration?.nonce !== nonce || !mayHold) return record;',
    harm: "A registration completes between retire's mark and its end, so its runner stays.",
    model: 'a registration completes although its launch is retiring',
    tests: ofTransitions,
  },
  'retire-does-not-wait': {
    of: 'retire',
    file: 'functions/retire-runner/retire-runner.ts',
    old: '  await deps.sleep(await stopRunner(ci, { scope, runnerId: runner.id }, deps.nowEpochMs()));\n',
    new: '  await stopRunner(ci, { scope, runnerId: runner.id }, deps.nowEpochMs());\n',
    harm: 'A job that the CI system was just handing out is not seen before its runner is removed.',
    model: 'the look at a runner comes too early',
  },
  'retire-ends-a-bound-launch': {
    of: 'retire',
    file: 'functions/retire-runner/retire-runner.ts',
    old: '{ unlessRunning: true }',
    new: '{}',
    harm: 'A launch ends although a job was bound to it while it was retired.',
  },
  'orphan-grace-from-request': {
    of: 'retire',
    file: 'functions/reconcile/orphans.ts',
    old: 'record.registration?.begunAtEpochMs ?? record.requestedAtEpochMs',
    new: 'record.requestedAtEpochMs',
    harm: 'A runner that is just being registered counts as an orphan, because its launch is old.',
  },
  'orphan-may-get-a-job': {
    of: 'retire',
    file: 'functions/reconcile/orphans.ts',
    old: 'const settlingMs = await stopRunner(ci, { scope, runnerId: runner.id }, deps.nowEpochMs());',
    new: 'const settlingMs = 0;',
    harm: 'An orphan can be handed a job while it is removed.',
    model: 'an orphan is taken out while it can get a job',
  },
  'relaunch-of-a-later-generation': {
    of: 'relaunch',
    file: transitions,
    old: "record.status !== 'launching' || record.plan?.agentName !== ended.agentName",
    new: "record.status !== 'launching'",
    harm: 'A late failure of an earlier generation replaces the present one.',
    tests: ofTransitions,
  },
  'unknown-is-disconnected': {
    of: 'failover',
    file: 'core/cluster/cluster-state.ts',
    old: 'if (connectedAt(state, nowEpochMs) === false) return',
    new: 'if (connectedAt(state, nowEpochMs) !== true) return',
    harm: 'A cluster of which nothing is known is taken for a disconnected one.',
    tests: [
      'test/unit/core',
      'test/unit/logic/steps',
      'test/unit/functions/relaunch',
      'test/unit/logic/cluster-reports',
    ],
  },
  'look-from-its-end': {
    of: 'failover',
    file: 'functions/probe/probe-cluster.ts',
    old: "const failedAt = { kind: 'failed', beganAtEpochMs, endedAtEpochMs,",
    new: "const failedAt = { kind: 'failed', beganAtEpochMs: endedAtEpochMs, endedAtEpochMs,",
    harm: 'A failed look is reported from its end, so that it counts against answers that came meanwhile.',
    model: 'a failed call counts from its end',
  },
  'slots-freed-while-cleaning': {
    of: 'limits',
    file: 'logic/lifecycle/request-limited.ts',
    old: 'record?.plan?.slots === undefined || !isOver(record)',
    new: 'record?.plan?.slots === undefined || record.ending === undefined',
    harm: 'The slots of a launch are free while its Pod still runs.',
    tests: ['test/unit/logic/lifecycle', 'test/unit/functions/admit'],
  },
  'refused-keeps-slots': {
    of: 'limits',
    file: 'logic/lifecycle/request-limited.ts',
    old: "    await freeAll(deps, launchId, slots);\n    return { is: 'refused', by: limit };",
    new: "    return { is: 'refused', by: limit };",
    harm: 'A request that one limit refuses keeps the slots of the other.',
    tests: ['test/unit/logic/lifecycle', 'test/unit/functions/admit'],
  },
  'warm-replaced-too-early': {
    of: 'warm',
    file: 'functions/reconcile/warm-view.ts',
    old: 'const replaced = connected + aged.length',
    new: 'const replaced = fresh.length + aged.length',
    harm: 'A warm agent is replaced before its successor has connected.',
  },
  'warm-before-waiting-jobs': {
    of: 'warm',
    file: 'functions/reconcile/warm-view.ts',
    old: 'wishes.filter(({ isYielding }) => !isYielding)',
    new: 'wishes',
    harm: 'A warm agent takes a slot that a queued job waits for.',
  },
  'short-page-ends-the-list': {
    of: 'reconcile',
    file: 'ci/overlapping-pages.ts',
    old: 'if (items.length === 0 || covered >= total) return true;',
    new: 'if (items.length < limit || covered >= total) return true;',
    harm: 'A page that is shorter than asked for ends the list, so live agents look spent.',
    model: 'a short page ends a list',
    provoked: {
      faults: ['jobJustThen', 'handOutSlow', 'ciJobCancelled', 'ciEventLost', 'ciJobLong'],
      queued: 8,
      giteaPage: 1,
    },
  },
  'counted-launch-is-counted-again': {
    of: 'reconcile',
    file: 'functions/reconcile/plan-launches.ts',
    old: "return { kind: 'launch', pool, demand, launchId: lastLaunch.launchId, replacement: undefined };",
    new: 'return launch(launches);',
    harm: 'A job whose launch is not yet in the table gets a second one.',
  },
  'lost-job-with-a-later-attempt': {
    of: 'reconcile',
    file: 'ci/gitea/jobs-to-rerun.ts',
    old: 'attempt <= (attempts.get(id) ?? 0)',
    new: 'attempts.has(id)',
    harm: 'A lost job is asked to run again although a later attempt is over.',
    model: 'a lost job runs again whatever its attempt',
    provoked: {
      faults: ['nodeGone', 'podEvicted', 'spotReclaimed', 'ciJobRerun', 'ciJobFails', 'ciJobLong'],
      queued: 6,
    },
    tests: ['test/unit/ci', 'test/unit/functions/reconcile'],
  },
  'record-read-before-token': {
    of: 'connect',
    file: 'functions/connect/connect.ts',
    old: '  const published = await awaitToken(deps, agent, fromEpochMs);\n  const record = await deps.launches.get(agent.launchId);\n',
    new: '  const record = await deps.launches.get(agent.launchId);\n  const published = await awaitToken(deps, agent, fromEpochMs);\n',
    harm: 'A launch can end between the two reads, and its agent is told to ask again.',
    model: 'the record is read before the token',
  },
  'completed-ends-any-agent': {
    of: 'webhook',
    file: 'logic/jobs/handle-job.ts',
    old: 'return isOwn ? { unlessJoined: true } : { unlessLive: true };',
    new: 'return { unlessJoined: true };',
    harm: 'A job that ran elsewhere ends its launch, whose agent may run another job.',
    model: 'completed ends the launch of its job',
    tests: ['test/unit/functions/webhook'],
  },
  'binding-ignores-the-ci-system': {
    of: 'webhook',
    file: transitions,
    old: 'join.ciSystem !== ciSystem || ',
    new: '',
    harm: 'A job of one CI system is bound to the runner of another with the same id.',
    tests: ofTransitions,
  },
  'sweep-has-no-grace': {
    of: 'sweep',
    file: 'functions/sweep/judge-launch.ts',
    old: '  if (nowEpochMs - requestedAtEpochMs < graceSeconds * 1000) return kept;\n',
    new: '',
    harm: 'A launch whose execution is about to start counts as never started.',
  },
});

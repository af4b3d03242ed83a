import * as fc from 'fast-check';
import type { RunnerCommand, Written } from '../../../../core/trace/written.ts';
import type { NumberedLine } from '../../../../verify/trace/step.ts';
import { verifyTrace } from '../../../../verify/trace/verify-trace.ts';
import {
  endedLife,
  heldLife,
  linesOf,
  warmLife,
  wholeLife,
  withBefore,
  withoutStep,
  withStep,
} from './launch-history.ts';

const stoodByOnce = { sinceEpochMs: 2000 };

function seenIn(lines: readonly NumberedLine[], options = {}): string[] {
  return verifyTrace(lines, options).findings.map(({ rule, seen }) => `${rule}: ${seen}`);
}

test('a launch that is lost, registers twice, runs its job and is cleaned is allowed', () => {
  const lines = linesOf(wholeLife);

  expect(verifyTrace(lines, { isAtRest: true })).toMatchObject({
    launches: 1,
    writes: lines.length,
    missing: 0,
    findings: [],
  });
});

test('the same lines are allowed in any order of the file, and twice', () => {
  fc.assert(
    fc.property(
      fc.shuffledSubarray([...linesOf(wholeLife), ...linesOf(wholeLife)], { minLength: 30, maxLength: 30 }),
      (lines) => {
        expect(seenIn(lines)).toEqual([]);
      },
    ),
  );
});

test.each([wholeLife, heldLife, endedLife, warmLife])(
  'whichever steps a trace lacks, some order of them fills the gap',
  (...life) => {
    const lines = linesOf(life);
    fc.assert(
      fc.property(fc.subarray(lines, { minLength: 1 }), (kept) => {
        expect(seenIn(kept)).toEqual([]);
      }),
    );
  },
);

test.each<[title: string, steps: ReturnType<typeof withStep>, seen: string]>([
  [
    'a relaunch of an earlier generation',
    withStep('relaunch', { generations: [{ agentName: 'davit-other', code: 'NodeLost' }] }),
    'davit-other ended, and not the present davit-tea-1-2-1',
  ],
  [
    'a relaunch for an error that ends a launch',
    withStep('relaunch', { generations: [{ agentName: 'davit-tea-1-2-1', cluster: 'east', code: 'ImagePullFailed' }] }),
    'ImagePullFailed ends a launch',
  ],
  [
    'a relaunch into another cluster that is no move',
    withStep('relaunch', { cluster: 'west' }),
    'only a move changes the cluster',
  ],
  [
    'a registration that completes while the launch retires',
    withBefore('complete', ['retire', { retiring: 'surplus' }]),
    'the launch is retiring',
  ],
  [
    'an end by reconcile while a job is bound',
    withStep('end', { ending: { outcome: 'terminated', code: 'Terminated', by: 'reconcile', atEpochMs: 9000 } }),
    'the launch was not marked before',
  ],
  [
    'an end by the state machine after the agent connected',
    withStep('end', {
      ending: { outcome: 'failed', code: 'ConnectDeadlineExceeded', by: 'the state machine', atEpochMs: 9000 },
    }),
    'the state machine ends only what has not connected',
  ],
  ['a job of another CI system', withStep('bind', { runs: 'hub/1/2/1' }), 'its runner is one of tea'],
  [
    'a completed job that the agent has not run',
    wholeLife.filter(([command]) => command !== 'bind'),
    'its agent has run no job',
  ],
  ['a second runner while the first may be there', withoutStep('noteDeregistered'), 'runner 7 may still be there'],
  [
    'an outcome that is not that of the ending',
    withStep('markCleaned', { status: 'failed' }),
    'its ending is terminated',
  ],
  ['a clean-up before the end', withoutStep('end'), 'the launch is connected'],
  ['a launch that begins connected', withStep('request', { status: 'connected' }), 'it is connected'],
  [
    "a field that is not the command's",
    withStep('noteSignal', { cluster: 'west' }),
    'noteSignal does not change cluster',
  ],
  ['a command that there is not', withBefore('begin', ['forget', {}]), 'the protocol has no command forget'],
])('%s is found', (_, steps, seen) => {
  expect(seenIn(linesOf(steps))).toContainEqual(expect.stringContaining(seen));
});

const changed = (life: typeof wholeLife, change: (step: (typeof wholeLife)[number]) => (typeof wholeLife)[number]) =>
  life.map(change);
/** Changes the fields of a command's steps. */
const withFields = (life: typeof wholeLife, wanted: string, fields: object) =>
  changed(life, ([command, before]) => [command, command === wanted ? { ...before, ...fields } : before]);
/** Puts a step in the place of a command's. */
const instead = (life: typeof wholeLife, wanted: string, step: (typeof wholeLife)[number]) =>
  changed(life, (each) => (each[0] === wanted ? step : each));
const summonedFor = 'tea/1/2/1';
const begun = { nonce: 'z', begunAtEpochMs: 1, count: 1 };

test.each<[title: string, steps: typeof wholeLife, seen: string]>([
  [
    'a hold of an agent that had connected',
    withFields(wholeLife, 'end', { hold: { untilEpochMs: 1 } }),
    'only the Pod of a launch that failed is held',
  ],
  [
    'a hold that a sweep ends before its time',
    changed(heldLife, ([command, { hold, ...fields }]) => [
      command,
      { ...fields, ...(hold === undefined ? {} : { hold: { ...hold, untilEpochMs: 700_000 } }) },
    ]),
    'its Pod is to be held for longer',
  ],
  ['a hold that ends, and was none', withFields(heldLife, 'end', { hold: undefined }), 'its Pod is not held'],
  ['a registration of an agent that stands by', instead(warmLife, 'summon', ['noteSignal', {}]), 'its agent stands by'],
  [
    'an agent that stands by in a pool without warm agents',
    withFields(warmLife, 'request', { standsBy: undefined }),
    'its pool has no warm agents',
  ],
  [
    'an agent that stands by after it has begun to register',
    withFields(warmLife, 'request', { registration: begun }),
    'its agent has begun to register',
  ],
  [
    'a renewal that is taken back',
    instead(warmLife, 'begin', ['noteRenewal', { standby: { ...stoodByOnce, summonedFor } }]),
    'it takes a renewal back',
  ],
  [
    'a second summons',
    instead(warmLife, 'begin', ['summon', { standby: { ...stoodByOnce, renewals: 1, summonedFor: 'tea/1/3/1' } }]),
    'its agent is summoned for tea/1/2/1',
  ],
])('%s is found', (_, steps, seen) => {
  expect(seenIn(linesOf(steps))).toContainEqual(expect.stringContaining(seen));
});

test('a gap that no steps can fill is found', () => {
  const lines = linesOf(withStep('bind', { runs: 'hub/1/2/1' })).filter(({ written }) => written.command !== 'bind');

  expect(seenIn(lines)).toEqual([
    'end: no order of the missing steps leads here: revision 1012: 2 before it are missing',
  ]);
});

test('two writes of one revision are found', () => {
  const [first, second] = linesOf(wholeLife);
  const other = { ...second!, written: { ...second!.written, revision: 1000 } as Written };

  expect(seenIn([first!, other])[0]).toBe(
    'each revision of a record is written once: revision 1000 was written by request and by noteSignal',
  );
});

function limit(
  command: string,
  revision: number,
  fields: { holder: string; held: number; maxAgents?: number },
): NumberedLine {
  const written: Written = { kind: 'limit', key: 'profile/linux', revision, command, fields };
  return { line: revision, atEpochMs: revision * 1000, written };
}

test('a slot is free when nothing of its launch is left, and not before', () => {
  const slots = { holder: 'tea-1-2-1/n', limits: ['profile/linux'] };
  const lines = linesOf(wholeLife.map(([command, fields]) => [command, { ...fields, slots }]));
  const take = limit('take', 1, { holder: slots.holder, held: 1, maxAgents: 1 });

  expect(seenIn([take, ...lines, limit('free', 15, { holder: slots.holder, held: 0 })])).toEqual([]);
  expect(seenIn([take, ...lines, limit('free', 14, { holder: slots.holder, held: 0 })])).toEqual([
    'a launch holds its slots until nothing of it is left: tea-1-2-1 is cleaning when it is freed',
  ]);
});

test('a slot is free after a clean-up whose function died before it logged the end, if functions die', () => {
  const slots = { holder: 'tea-1-2-1/n', limits: ['profile/linux'] };
  const unlogged = linesOf(wholeLife.slice(0, -1).map(([command, fields]) => [command, { ...fields, slots }]));
  const take = limit('take', 1, { holder: slots.holder, held: 1, maxAgents: 1 });
  const lines = [take, ...unlogged, limit('free', 15, { holder: slots.holder, held: 0 })];

  expect(seenIn(lines)).toEqual([]);
  expect(seenIn(lines, { isUndisturbed: true })).toContain(
    'a launch holds its slots until nothing of it is left: tea-1-2-1 is cleaning when it is freed',
  );
});

test('a slot above the maximum is found, and one that an attempt keeps without a launch', () => {
  const lines = [
    limit('take', 1, { holder: 'a/1', held: 1, maxAgents: 1 }),
    limit('take', 2, { holder: 'b/1', held: 2, maxAgents: 1 }),
    limit('free', 3, { holder: 'b/1', held: 1 }),
    limit('free', 90, { holder: 'a/1', held: 0 }),
  ];

  expect(seenIn(lines)).toEqual(['no limit has more launches than its maximum: b/1 is number 2 of 1']);
  expect(seenIn(lines, { isUndisturbed: true })).toContain(
    'an attempt that does not request its launch gives its slots back: a/1 still has one after 30 s',
  );
});

function startedBySweep(atEpochMs: number, graceSeconds: number): NumberedLine {
  const fields = { by: 'sweep', graceSeconds };
  return { line: 99, atEpochMs, written: { kind: 'execution', key: 'tea-1-2-1', command: 'start', fields } };
}

test('a sweep starts a launch that was requested at 1 s after its grace, and not before', () => {
  const lines = linesOf(wholeLife.slice(0, 1));

  expect(seenIn([...lines, startedBySweep(61_000, 60)])).toEqual([]);
  expect(seenIn([...lines, startedBySweep(1000, 0)])).toEqual([]);
  expect(seenIn([startedBySweep(1000, 60)])).toEqual([]);
  expect(seenIn([...lines, startedBySweep(50_000, 60)])).toEqual([
    'a sweep leaves a launch that was just requested to its requester: sweep started it 49000 ms after its request, and not 60000',
  ]);
  expect(seenIn([...lines, startedBySweep(50_000, 60)], { skewMs: 10_000 })).toEqual([]);
});

/** A write of a job's record. */
function jobStep(key: string, revision: number, atEpochMs: number, command: string, fields: object): NumberedLine {
  const all = { status: 'queued' as const, ciSystem: 'tea', launches: 0, isExplained: false, ...fields };
  return { line: revision, atEpochMs, written: { kind: 'job', key, revision, command, fields: all } };
}

/** A job that waits for a slot since `sinceEpochMs`, and a warm agent that is launched with a slot at 300 s. */
function besideWarm(sinceEpochMs: number, limitedBy: string, then: 'claimLaunch' | 'note'): NumberedLine[] {
  const at = (...step: [revision: number, atEpochMs: number, command: string, fields: object]) =>
    jobStep('tea/1/9/1', ...step);
  const slots = { holder: 'warm-1/n', limits: ['profile/linux', 'repositories/acme'] };
  const [warm] = linesOf([['request', { jobKey: undefined, slots, requestedAtEpochMs: 300_000 }]], 'warm-1');
  const claimed = { launches: 1, lastLaunch: 'tea-1-9-1' };
  return [
    at(1, 1000, 'note', {}),
    at(2, sinceEpochMs, 'noteLimited', { limitedBy, isExplained: true }),
    ...(warm === undefined ? [] : [{ ...warm, line: 3, atEpochMs: 300_000 }]),
    then === 'claimLaunch'
      ? at(3, 400_000, then, claimed)
      : at(3, 400_000, then, { limitedBy, status: 'completed', isExplained: true }),
  ];
}

test('a job that has waited for a slot for minutes gets it before a warm agent', () => {
  const undisturbed = { isUndisturbed: true };

  expect(seenIn(besideWarm(120_000, 'profile/linux', 'claimLaunch'), undisturbed)).toEqual([
    'a job that waits for a slot gets it before a warm agent: job tea/1/9/1 waited for it',
  ]);
  expect(seenIn(besideWarm(121_000, 'profile/linux', 'claimLaunch'), undisturbed)).toEqual([]);
  expect(seenIn(besideWarm(120_000, 'profile/arm', 'claimLaunch'), undisturbed)).toEqual([]);
  expect(seenIn(besideWarm(120_000, 'profile/linux', 'note'), undisturbed)).toEqual([]);
  expect(seenIn(besideWarm(120_000, 'profile/linux', 'claimLaunch'))).toEqual([]);
});

function runner(line: number, command: RunnerCommand, by: string): NumberedLine {
  const fields = { by, settleMs: 15_000, ...(command === 'removeIfIdle' ? { result: 'removed' as const } : {}) };
  return { line, atEpochMs: line * 1000, written: { kind: 'runner', key: 'tea/7', command, fields } };
}

test('a runner is removed once it can get no job, and not recorded afterwards', () => {
  const began = runner(1, 'stopAssigning', 'reconcile');

  expect(seenIn([began, runner(16, 'removeIfIdle', 'reconcile')])).toEqual([]);
  expect(seenIn([began, runner(15, 'removeIfIdle', 'reconcile')])).toEqual([
    'a runner gets no job for a while before it is removed: reconcile removed it 14000 ms later, and not 15000',
  ]);
  // The answer may be late.
  const asked = [runner(1, 'askToStop', 'reconcile'), runner(3, 'stopAssigning', 'reconcile')];
  expect(seenIn([...asked, runner(16, 'removeIfIdle', 'retire-runner')])).toEqual([]);
  expect(seenIn([...asked, runner(15, 'removeIfIdle', 'retire-runner')])).toHaveLength(1);
  expect(seenIn([...linesOf(wholeLife), runner(5, 'removeIfIdle', 'register-runner')])).toEqual([
    'no launch has a runner that was taken out before: register-runner removed runner 7',
  ]);
});

test('a runner that is registered again by the same id is not taken out any more', () => {
  const removed = runner(5, 'removeIfIdle', 'register-runner');

  expect(seenIn([...linesOf(wholeLife), removed, runner(6, 'register', 'register-runner')])).toEqual([]);
  expect(seenIn([...linesOf(wholeLife), runner(4, 'register', 'register-runner'), removed])).toEqual([
    'no launch has a runner that was taken out before: register-runner removed runner 7',
  ]);
});

test('a job goes forward, is counted by its claims, and is run by the agent that is bound to it', () => {
  const job = (revision: number, command: string, fields: object) =>
    jobStep('tea/1/2/1', revision, 1000 * revision, command, fields);
  const counted = { launches: 1, lastLaunch: 'tea-1-2-1' };

  expect(
    seenIn([job(1, 'note', {}), job(2, 'claimLaunch', counted), job(3, 'note', { ...counted, status: 'waiting' })]),
  ).toEqual(['note: the protocol has no such step of a job: revision 3: queued became waiting']);
  expect(seenIn([job(1, 'note', {}), job(2, 'note', counted)])[0]).toContain('it changes launches');
  expect(
    seenIn([
      job(1, 'note', {}),
      job(2, 'claimLaunch', counted),
      job(3, 'claimLaunch', { launches: 2, lastLaunch: 'x1' }),
    ]),
  ).toEqual(['a job gets another launch only after the one that is counted was requested: tea-1-2-1 was not']);
  expect(
    seenIn([
      ...linesOf(
        withoutStep('bind').filter(
          ([name]) => name !== 'bind' && name !== 'end' && !name.startsWith('mark') && name !== 'claimCleanUp',
        ),
      ),
      job(11, 'note', {}),
      job(12, 'noteRanBy', { ranBy: 'tea-1-2-1' }),
    ]),
  ).toEqual(['the agent that ran a job is bound to it before: tea-1-2-1 is not']);
});

test('at rest, a launch that is still cleaning is found', () => {
  const lines = linesOf(withoutStep('markCleaned'));

  expect(seenIn(lines)).toEqual([]);
  expect(seenIn(lines, { isAtRest: true })).toEqual(['at rest each launch is connected, or is over: it is cleaning']);
});

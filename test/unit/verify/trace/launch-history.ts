import { present } from '../../../../core/present.ts';
import type { Written, WrittenLaunch } from '../../../../core/trace/written.ts';
import type { NumberedLine } from '../../../../verify/trace/step.ts';

type LaunchStep = [command: string, fields: Partial<WrittenLaunch>];

const requested: WrittenLaunch = {
  status: 'launching',
  requestedAtEpochMs: 1000,
  agentName: 'davit-tea-1-2-1',
  generation: 1,
  cluster: 'east',
  namespace: 'builders',
  profile: 'linux',
  jobKey: 'tea/1/2/1',
  pool: 'pool',
  ciSystem: 'tea',
  generations: [],
};
const lost = { agentName: 'davit-tea-1-2-1', cluster: 'east', code: 'PodEvicted' };
const begun = { nonce: 'a', begunAtEpochMs: 2000, count: 1 };
const ending = {
  outcome: 'terminated',
  code: 'Terminated',
  by: 'tea workflow_job completed (success)',
  atEpochMs: 9000,
} as const;

/** A launch with all there is: lost once, registered twice, with its job, and cleaned. */
export const wholeLife: readonly LaunchStep[] = [
  ['request', {}],
  ['noteSignal', { signal: 'PodEvicted' }],
  [
    'relaunch',
    { agentName: 'davit-tea-1-2-1-r2', generation: 2, generations: [lost], signal: undefined, registration: undefined },
  ],
  ['begin', { registration: begun }],
  ['take', { registration: { ...begun, nonce: 'b' } }],
  ['complete', { status: 'connected', connectedAtEpochMs: 3000, runnerId: 7 }],
  ['begin', { registration: { nonce: 'c', begunAtEpochMs: 4000, count: 2 } }],
  ['take', { registration: { nonce: 'd', begunAtEpochMs: 4000, count: 2 } }],
  ['noteDeregistered', { deregisteredAtEpochMs: 4100 }],
  ['complete', { runnerId: 8, deregisteredAtEpochMs: undefined }],
  ['bind', { runs: 'tea/1/2/1' }],
  ['bind', { ranAtEpochMs: 8900 }],
  ['end', { status: 'cleaning', ending }],
  ['claimCleanUp', { cleanUpAskedAtEpochMs: 9500 }],
  ['markCleaned', { status: 'terminated', cleanedAtEpochMs: 9900 }],
];

const stoodBy = { sinceEpochMs: 2000 };

/** A launch whose agent stands by until it is summoned for a job. */
export const warmLife: readonly LaunchStep[] = [
  ['request', { standsBy: true, jobKey: undefined }],
  ['standBy', { status: 'connected', connectedAtEpochMs: 2000, standby: stoodBy }],
  ['noteRenewal', { standby: { ...stoodBy, renewals: 1 } }],
  ['summon', { standby: { ...stoodBy, renewals: 1, summonedFor: 'tea/1/2/1' } }],
  ['begin', { registration: { nonce: 'a', begunAtEpochMs: 2500, count: 1 } }],
  ['take', { registration: { nonce: 'b', begunAtEpochMs: 2500, count: 1 } }],
  ['complete', { runnerId: 7 }],
  ['bind', { runs: 'tea/1/2/1' }],
  ['bind', { ranAtEpochMs: 8900 }],
  ['end', { status: 'cleaning', ending }],
  ['markCleaned', { status: 'terminated', cleanedAtEpochMs: 9900 }],
];

const failure = { outcome: 'failed', code: 'ImagePullFailed', by: 'the state machine', atEpochMs: 2000 } as const;
const hold = { untilEpochMs: 602_000 };

/** A launch that failed, and whose Pod was held until a sweep found that its time was over. */
export const heldLife: readonly LaunchStep[] = [
  ['request', {}],
  ['end', { status: 'cleaning', ending: failure, hold }],
  ['noteDiagnostics', {}],
  ['claimCleanUp', { hold: { ...hold, releasedAtEpochMs: 603_000 }, cleanUpAskedAtEpochMs: 603_000 }],
  ['markCleaned', { status: 'failed', cleanedAtEpochMs: 604_000 }],
];

/** The same, but a person ended the launch before. */
export const endedLife: readonly LaunchStep[] = [
  ...heldLife.slice(0, 3),
  ['end', { hold: { ...hold, releasedAtEpochMs: 5000 } }],
  ['claimCleanUp', { cleanUpAskedAtEpochMs: 66_000 }],
  ['markCleaned', { status: 'failed', cleanedAtEpochMs: 67_000 }],
];

/** Writes a launch's history as lines of a trace, a step a second. */
export function linesOf(steps: readonly LaunchStep[], key = 'tea-1-2-1'): NumberedLine[] {
  let fields = requested;
  return steps.map(([command, changed], index) => {
    fields = present({ ...fields, ...changed });
    const written: Written = { kind: 'launch', key, revision: 1000 + index, command, fields };
    return { line: index + 1, atEpochMs: 1000 * (index + 1), written };
  });
}

/** Puts a step in the place of another, the first of its command. */
export function withStep(command: string, changed: Partial<WrittenLaunch>): LaunchStep[] {
  const index = wholeLife.findIndex(([name]) => name === command);
  return wholeLife.map((step, at) => (at === index ? [command, { ...step[1], ...changed }] : step));
}

/** Leaves a command's first step out, as if davit had not made it. */
export function withoutStep(command: string): LaunchStep[] {
  const index = wholeLife.findIndex(([name]) => name === command);
  return wholeLife.filter((_, at) => at !== index);
}

/** Adds a step before the first one of a command. */
export function withBefore(command: string, step: LaunchStep): LaunchStep[] {
  const index = wholeLife.findIndex(([name]) => name === command);
  return [...wholeLife.slice(0, index), step, ...wholeLife.slice(index)];
}

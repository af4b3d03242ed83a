import type { Signal } from '../../../../core/launch/launch-record.ts';
import { applyVerdict } from '../../../../logic/steps/apply-verdict.ts';
import { beforeCalls } from '../../../support/around-calls.ts';
import { requestLaunch, type TestDeps, testLaunchId } from '../../../support/make-test-deps.ts';
import { launchAt } from '../../../support/run-steps.ts';

const subject = { launchId: testLaunchId, pod: 'davit-github-1-2-1', container: 'agent' };
const launch = {
  launchId: testLaunchId,
  agentName: 'davit-github-1-2-1',
  graces: { imagePullSeconds: 30, containerSeconds: 45 },
  startedAtEpochMs: 1_767_225_600_000,
};
const pulling = {
  kind: 'grace',
  grace: 'imagePullSeconds',
  code: 'ImagePullFailed',
  detail: 'ErrImagePull: not found',
  subject: {},
} as const;
const backingOff = { ...pulling, detail: 'ImagePullBackOff: not found' };
const unschedulable = {
  kind: 'wait',
  signal: 'Unschedulable',
  detail: '0/3 nodes are available',
  subject: {},
} as const;
const firstSignal = { code: 'ImagePullFailed', detail: 'ErrImagePull: not found', sinceEpochMs: 1_767_225_600_000 };

let deps: TestDeps;
beforeEach(async () => {
  ({ deps } = await launchAt(requestLaunch));
});

const recorded = async () => (await deps.launches.get(testLaunchId))?.signal;

test('a terminal verdict is thrown with its code and its subject', async () => {
  const verdict = { kind: 'terminal', code: 'ImageNameInvalid', detail: 'InvalidImageName', subject: {} } as const;

  await expect(applyVerdict(deps, launch, verdict, subject, undefined)).rejects.toMatchObject({
    name: 'TerminalError',
    code: 'ImageNameInvalid',
    subject,
  });
});

test('a relaunch verdict is thrown as a RelaunchError', async () => {
  const verdict = { kind: 'relaunch', code: 'PodEvicted', detail: 'Evicted', subject: {} } as const;

  await expect(applyVerdict(deps, launch, verdict, subject, undefined)).rejects.toMatchObject({
    name: 'RelaunchError',
    code: 'PodEvicted',
  });
});

test('a wait without a signal is not recorded', async () => {
  await applyVerdict(deps, launch, { kind: 'wait', detail: 'phase Pending', subject: {} }, subject, undefined);

  expect(await recorded()).toBeUndefined();
});

test('a wait with a signal is recorded with the time of its first sight', async () => {
  await applyVerdict(deps, launch, unschedulable, subject, undefined);

  expect(await recorded()).toStrictEqual({
    code: 'Unschedulable',
    detail: '0/3 nodes are available',
    sinceEpochMs: 1_767_225_600_000,
  });
});

test("a credential in the cluster's words is recorded masked", async () => {
  const verdict = { ...unschedulable, detail: 'no node for eyJhbGciOiJIUzI1NiJ9.eyJhIjoxfQ.c2lnbmF0dXJl' };

  await applyVerdict(deps, launch, verdict, subject, undefined);

  expect(await recorded()).toMatchObject({ detail: 'no node for [masked]' });
});

test('trouble with a grace is overdue once the grace period has passed', async () => {
  const first = await applyVerdict(deps, launch, pulling, subject, undefined);
  deps.clock.advance(29_999);
  const before = await applyVerdict(deps, launch, pulling, subject, first.signal);
  deps.clock.advance(1);
  const after = await applyVerdict(deps, launch, pulling, subject, first.signal);

  expect(first).toEqual({ signal: firstSignal });
  expect(before).toEqual({ signal: firstSignal });
  expect(after).toEqual({ signal: firstSignal, overdueSeconds: 30 });
});

test('a grace period does not pass while a signal is being recorded', async () => {
  beforeCalls(deps.launches, 'noteSignal', () => deps.clock.advance(33_000));

  const applied = await applyVerdict(deps, launch, pulling, subject, undefined);

  expect(applied.overdueSeconds).toBeUndefined();
});

test('other words about the same trouble are recorded, and its grace period goes on', async () => {
  const { signal } = await applyVerdict(deps, launch, pulling, subject, undefined);
  deps.clock.advance(1000);

  await applyVerdict(deps, launch, backingOff, subject, signal);

  expect(await recorded()).toEqual({ ...firstSignal, detail: 'ImagePullBackOff: not found' });
});

test('one attempt records the same words only once', async () => {
  let writes = 0;
  beforeCalls(deps.launches, 'noteSignal', () => (writes += 1));

  let signal: Signal | undefined;
  for (const verdict of [unschedulable, unschedulable, pulling, pulling]) {
    ({ signal } = await applyVerdict(deps, launch, verdict, subject, signal));
  }

  expect(writes).toBe(2);
});

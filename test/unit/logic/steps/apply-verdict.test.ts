import type { Signal } from '../../../../core/launch/launch-record.ts';
import { applyVerdict } from '../../../../logic/steps/apply-verdict.ts';
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

async function launched(): Promise<TestDeps> {
  const { deps } = await launchAt(requestLaunch);
  return deps;
}

const signalOf = async (deps: TestDeps) => (await deps.launches.get(testLaunchId))?.signal;

test('a terminal verdict is thrown with its code and its subject', async () => {
  const verdict = { kind: 'terminal', code: 'ImageNameInvalid', detail: 'InvalidImageName', subject: {} } as const;

  await expect(applyVerdict(await launched(), launch, verdict, subject, undefined)).rejects.toMatchObject({
    name: 'TerminalError',
    code: 'ImageNameInvalid',
    subject,
  });
});

test('a relaunch verdict is thrown as a RelaunchError', async () => {
  const verdict = { kind: 'relaunch', code: 'PodEvicted', detail: 'Evicted', subject: {} } as const;

  await expect(applyVerdict(await launched(), launch, verdict, subject, undefined)).rejects.toMatchObject({
    name: 'RelaunchError',
    code: 'PodEvicted',
  });
});

test('a wait without a signal is not recorded', async () => {
  const deps = await launched();

  await applyVerdict(deps, launch, { kind: 'wait', detail: 'phase Pending', subject: {} }, subject, undefined);

  expect(await signalOf(deps)).toBeUndefined();
});

test('a wait with a signal is recorded with the time of its first sight', async () => {
  const deps = await launched();

  await applyVerdict(deps, launch, unschedulable, subject, undefined);

  expect(await signalOf(deps)).toStrictEqual({
    code: 'Unschedulable',
    detail: '0/3 nodes are available',
    sinceEpochMs: 1_767_225_600_000,
  });
});

test("a credential in the cluster's words is recorded masked", async () => {
  const deps = await launched();
  const verdict = { ...unschedulable, detail: 'no node for eyJhbGciOiJIUzI1NiJ9.eyJhIjoxfQ.c2lnbmF0dXJl' };

  await applyVerdict(deps, launch, verdict, subject, undefined);

  expect(await signalOf(deps)).toMatchObject({ detail: 'no node for [masked]' });
});

test('trouble with a grace is overdue once the grace period has passed', async () => {
  const deps = await launched();

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
  const deps = await launched();
  const slow = {
    ...deps,
    launches: {
      noteSignal: async (...given: Parameters<typeof deps.launches.noteSignal>) => {
        deps.clock.advance(33_000);
        return deps.launches.noteSignal(...given);
      },
    },
  };

  const applied = await applyVerdict(slow, launch, pulling, subject, undefined);

  expect(applied.overdueSeconds).toBeUndefined();
});

test('other words about the same trouble are recorded, and its grace period goes on', async () => {
  const deps = await launched();
  const { signal } = await applyVerdict(deps, launch, pulling, subject, undefined);
  deps.clock.advance(1000);

  await applyVerdict(deps, launch, backingOff, subject, signal);

  expect(await signalOf(deps)).toEqual({ ...firstSignal, detail: 'ImagePullBackOff: not found' });
});

test('one attempt records the same words only once', async () => {
  const deps = await launched();
  let writes = 0;
  const launches = {
    noteSignal: (...given: Parameters<typeof deps.launches.noteSignal>) => {
      writes += 1;
      return deps.launches.noteSignal(...given);
    },
  };

  let signal: Signal | undefined;
  for (const verdict of [unschedulable, unschedulable, pulling, pulling]) {
    ({ signal } = await applyVerdict({ ...deps, launches }, launch, verdict, subject, signal));
  }

  expect(writes).toBe(2);
});

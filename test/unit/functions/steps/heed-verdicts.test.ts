import { expect, test } from '@jest/globals';
import type { PodVerdict } from '../../../../functions/domain/pod-verdict.ts';
import { heedVerdicts } from '../../../../functions/steps/heed-verdicts.ts';
import { makeTestDeps, requestLaunch, type TestDeps, testLaunchId } from '../../../support/make-test-deps.ts';

const about = { launchId: testLaunchId, pod: 'davit-github-1-2-1' };
const pullAbout = { node: 'node-1', container: 'agent', image: 'registry.example/agent:1' };
const graces = { imagePullSeconds: 30, containerSeconds: 45 };
const pulling = {
  kind: 'grace',
  grace: 'imagePullSeconds',
  code: 'ImagePullFailed',
  says: 'ErrImagePull: not found',
  about: pullAbout,
} as const;
const stillPulling = async (): Promise<PodVerdict> => pulling;
const backingOff = { ...pulling, says: 'ImagePullBackOff: not found' };
const unschedulable = { kind: 'wait', signal: 'Unschedulable', says: '0/3 nodes are available', about: {} } as const;

async function launched(): Promise<TestDeps> {
  const deps = makeTestDeps();
  await requestLaunch(deps);
  return deps;
}

const signalOf = async (deps: TestDeps) => (await deps.launches.get(testLaunchId))?.signal;

test('a terminal verdict is thrown with its code, about the Pod and the container', async () => {
  const heed = heedVerdicts(await launched(), testLaunchId, graces, about, stillPulling);
  const verdict = { kind: 'terminal', code: 'ImageNameInvalid', says: 'InvalidImageName', about: pullAbout } as const;

  await expect(heed(verdict)).rejects.toMatchObject({
    name: 'TerminalError',
    code: 'ImageNameInvalid',
    about: { ...about, ...pullAbout },
  });
});

test('a wait is told, and noted only when somebody would want to know', async () => {
  const deps = await launched();
  const heed = heedVerdicts(deps, testLaunchId, graces, about, stillPulling);

  expect(await heed({ kind: 'wait', says: 'phase Pending', about: {} })).toBe('phase Pending');
  expect(await signalOf(deps)).toBeUndefined();

  expect(await heed(unschedulable)).toBe('0/3 nodes are available');
  expect(await signalOf(deps)).toEqual({
    code: 'Unschedulable',
    says: '0/3 nodes are available',
    sinceEpochMs: 1_767_225_600_000,
  });
});

test('an agent’s credential in what the cluster says is not noted', async () => {
  const deps = await launched();
  const heed = heedVerdicts(deps, testLaunchId, graces, about, stillPulling);

  await heed({ ...unschedulable, says: 'no node for eyJhbGciOiJIUzI1NiJ9.eyJhIjoxfQ.c2lnbmF0dXJl' });

  expect(await signalOf(deps)).toMatchObject({ says: 'no node for [masked]' });
});

test('a grace verdict is waited for until the grace period has passed', async () => {
  const deps = await launched();
  const heed = heedVerdicts(deps, testLaunchId, graces, about, stillPulling);

  expect(await heed(pulling)).toBe('ErrImagePull: not found');
  deps.clock.advance(29_999);
  expect(await heed(backingOff)).toBe('ImagePullBackOff: not found');
  deps.clock.advance(1);
  await expect(heed(pulling)).rejects.toThrow(
    'ImagePullFailed: ErrImagePull: not found (for 30 s; grace is 30 s) (launch github-1-2-1, pod davit-github-1-2-1, node node-1, container agent, image registry.example/agent:1)',
  );
});

test('each kind of trouble has its own grace', async () => {
  const deps = await launched();
  const starting = { ...pulling, grace: 'containerSeconds', code: 'ContainerStartFailed', says: 'no CNI' } as const;
  const heed = heedVerdicts(deps, testLaunchId, graces, about, async () => starting);

  await heed(starting);
  deps.clock.advance(44_999);
  expect(await heed(starting)).toBe('no CNI');
  deps.clock.advance(1);
  await expect(heed(starting)).rejects.toThrow('ContainerStartFailed: no CNI (for 45 s; grace is 45 s)');
});

test('a relaunch verdict is thrown as what it is', async () => {
  const heed = heedVerdicts(await launched(), testLaunchId, graces, about, stillPulling);
  const verdict = { kind: 'relaunch', code: 'PodEvicted', says: 'Evicted', about: { node: 'node-1' } } as const;

  await expect(heed(verdict)).rejects.toMatchObject({ name: 'RelaunchError', code: 'PodEvicted' });
});

test('grace counts from when a thing was first said, however many attempts ago', async () => {
  const deps = await launched();

  await heedVerdicts(deps, testLaunchId, graces, about, stillPulling)(pulling);
  deps.clock.advance(21_000);
  await heedVerdicts(deps, testLaunchId, graces, about, stillPulling)(backingOff);
  deps.clock.advance(21_000);

  await expect(heedVerdicts(deps, testLaunchId, graces, about, stillPulling)(backingOff)).rejects.toThrow(
    'for 42 s; grace is 30 s',
  );
  expect(await signalOf(deps)).toEqual({
    code: 'ImagePullFailed',
    says: 'ImagePullBackOff: not found',
    sinceEpochMs: 1_767_225_600_000,
  });
});

test('grace does not pass while a thing is being noted', async () => {
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

  await expect(heedVerdicts(slow, testLaunchId, graces, about, stillPulling)(pulling)).resolves.toBe(
    'ErrImagePull: not found',
  );
});

test('what is over by the time that its grace has passed fails nothing, however late it was seen', async () => {
  const deps = await launched();
  const running = { kind: 'wait', says: 'container agent running', about: {} } as const;
  const heed = heedVerdicts(deps, testLaunchId, graces, about, async () => running);
  await heed(pulling);
  deps.clock.advance(40_000);

  expect(await heed(backingOff)).toBe('container agent running');
});

test('what has become of it meanwhile is heeded in its place, and has a grace of its own', async () => {
  const deps = await launched();
  const crashed = { kind: 'terminal', code: 'ContainerTerminated', says: 'exit code 1', about: {} } as const;
  const starting = { ...pulling, code: 'ContainerStartFailed', says: 'no CNI' } as const;
  await heedVerdicts(deps, testLaunchId, graces, about, stillPulling)(pulling);
  deps.clock.advance(40_000);

  const heedThen = (now: PodVerdict) => heedVerdicts(deps, testLaunchId, graces, about, async () => now)(pulling);

  await expect(heedThen(crashed)).rejects.toThrow('ContainerTerminated: exit code 1');
  expect(await heedThen(starting)).toBe('no CNI');
  expect(await signalOf(deps)).toMatchObject({ code: 'ContainerStartFailed', sinceEpochMs: 1_767_225_640_000 });
});

test('a thing that is said again and again is written once', async () => {
  const deps = await launched();
  let writes = 0;
  const launches = {
    noteSignal: (...args: Parameters<typeof deps.launches.noteSignal>) => {
      writes += 1;
      return deps.launches.noteSignal(...args);
    },
  };
  const heed = heedVerdicts({ launches, nowEpochMs: deps.nowEpochMs }, testLaunchId, graces, about, stillPulling);

  await heed(unschedulable);
  await heed(unschedulable);
  await heed(pulling);
  await heed(pulling);

  expect(writes).toBe(2);
});

import { judgePodSetup, mayHaveSetupTrouble } from '../../../../core/pod/judge-pod-setup.ts';
import { event } from '../../../support/event-view.ts';
import { podView, running, terminated, waiting } from '../../../support/pod-view.ts';

const creating = podView({ phase: 'Pending', containerStatuses: [waiting('agent', 'ContainerCreating')] });

describe('a Pod is held up before its containers start', () => {
  test.each([
    ['while they wait to be created', true, creating],
    ['while they have no status', true, podView({ phase: 'Pending' })],
    ['while they are in no state', true, podView({ containerStatuses: [{ name: 'agent' }] })],
    ['no more once one runs', false, podView({ containerStatuses: [running('agent')] })],
    ['no more once an init container has run', false, podView({ initContainerStatuses: [terminated('fetch', 0)] })],
    [
      'no more once one has run before',
      false,
      podView({
        containerStatuses: [{ ...waiting('agent', 'Restarting'), lastState: { terminated: { exitCode: 1 } } }],
      }),
    ],
    ['not while it has no node', false, { ...creating, spec: { ...creating.spec, nodeName: undefined } }],
  ])('%s', (_fact, isHeld, pod) => {
    expect(mayHaveSetupTrouble(pod)).toBe(isHeld);
  });

  test("by its sandbox, which has a grace period and the Event's words", () => {
    expect(judgePodSetup(creating, [event('FailedCreatePodSandBox', '2026-01-01T00:00:05Z')])).toEqual({
      kind: 'grace',
      grace: 'containerSeconds',
      code: 'ContainerStartFailed',
      detail: 'FailedCreatePodSandBox: why',
      subject: { node: 'node-1' },
    });
  });

  test.each(['FailedMount', 'FailedAttachVolume', 'NetworkNotReady'])('by %s, which davit waits for', (reason) => {
    expect(judgePodSetup(creating, [event(reason, '2026-01-01T00:00:05Z')])).toMatchObject({
      kind: 'wait',
      signal: reason,
      detail: `${reason}: why`,
    });
  });

  test('by the latest trouble, whichever field holds its time', () => {
    const events = [
      event('FailedAttachVolume', '2026-01-01T00:00:05Z'),
      event('FailedMount', null, { series: { count: 3, lastObservedTime: '2026-01-01T00:00:09Z' } }),
      event('FailedCreatePodSandBox', null, { eventTime: '2026-01-01T00:00:07Z' }),
      event('Scheduled', '2026-01-01T00:00:10Z'),
    ];

    expect(judgePodSetup(creating, events)).toMatchObject({ signal: 'FailedMount' });
  });

  const noSandbox = event('FailedCreatePodSandBox', '2026-01-01T00:00:05Z');

  test.each(['Pulling', 'Pulled', 'Created', 'Started', 'Failed', 'BackOff'])(
    'no longer by its sandbox once a newer %s shows a container in it',
    (reason) => {
      expect(judgePodSetup(creating, [noSandbox, event(reason, '2026-01-01T00:00:08Z')])).toBeUndefined();
    },
  );

  test.each(['FailedMount', 'FailedAttachVolume', 'NetworkNotReady'])(
    'no longer by %s once an image is pulled',
    (reason) => {
      const events = [event('Pulling', '2026-01-01T00:00:08Z'), event(reason, '2026-01-01T00:00:05Z')];

      expect(judgePodSetup(creating, events)).toBeUndefined();
    },
  );

  test('not by trouble of the same second as progress, since the order is unknown', () => {
    const events = [
      event('FailedCreatePodSandBox', null, { eventTime: '2026-01-01T00:00:05.900000Z' }),
      event('Pulling', '2026-01-01T00:00:05Z'),
    ];

    expect(judgePodSetup(creating, events)).toBeUndefined();
  });

  test('not by trouble whose Event has no time', () => {
    expect(judgePodSetup(creating, [event('FailedCreatePodSandBox', null), event('Pulling', null)])).toBeUndefined();
  });

  test('again by trouble that recurs after progress', () => {
    const again = event('FailedCreatePodSandBox', '2026-01-01T00:00:09Z', { firstTimestamp: '2026-01-01T00:00:05Z' });

    expect(judgePodSetup(creating, [again, event('Pulling', '2026-01-01T00:00:08Z')])).toMatchObject({ kind: 'grace' });
  });

  test.each([
    { when: 'after the trouble', at: '2026-01-01T00:00:06Z', isHeld: false },
    { when: 'before the trouble', at: '2026-01-01T00:00:04Z', isHeld: true },
  ])('by its sandbox, unless its status says $when that the sandbox is ready', ({ at, isHeld }) => {
    const ready = { type: 'PodReadyToStartContainers', status: 'True', lastTransitionTime: at };
    const pod = podView({ ...creating.status, conditions: [ready] });

    expect(judgePodSetup(pod, [noSandbox]) !== undefined).toBe(isHeld);
  });

  test('by its sandbox while its status says that the sandbox is not ready', () => {
    const notReady = { type: 'PodReadyToStartContainers', status: 'False', lastTransitionTime: '2026-01-01T00:00:06Z' };

    expect(judgePodSetup(podView({ ...creating.status, conditions: [notReady] }), [noSandbox])).toBeDefined();
  });

  test('by its sandbox, whatever else its status says or does not say', () => {
    const scheduled = { type: 'PodScheduled', status: 'True', lastTransitionTime: '2026-01-01T00:00:06Z' };

    expect(judgePodSetup(podView({ ...creating.status, conditions: [scheduled] }), [noSandbox])).toBeDefined();
    expect(judgePodSetup({ ...creating, status: undefined }, [noSandbox])).toBeDefined();
  });

  test('by nothing when no Event shows trouble', () => {
    expect(judgePodSetup(creating, [event('Scheduled', '2026-01-01T00:00:05Z')])).toBeUndefined();
    expect(judgePodSetup(creating, [])).toBeUndefined();
  });
});

import * as fc from 'fast-check';
import { containerToTell, Diagnostics, tellEvents, tellLog, withLastWords } from '../../../../core/pod/diagnostics.ts';
import { type ContainerStatusView, EventView, type PodView } from '../../../../core/pod/kubernetes-objects.ts';
import { anyCodePoint } from '../../../support/any-code-point.ts';
import { podView, running, saying, terminated, waiting } from '../../../support/pod-view.ts';

const eventAt = (second: number, others: object = {}) =>
  EventView.parse({
    type: 'Warning',
    reason: `Reason${second}`,
    message: 'why',
    involvedObject: {},
    count: 1,
    lastTimestamp: `2026-01-01T00:00:${String(second).padStart(2, '0')}Z`,
    ...others,
  });

describe('Events', () => {
  test('come newest first, at most 10 of them', () => {
    const told = tellEvents(
      Array.from({ length: 15 }, (_, second) => eventAt(second)),
      [],
    );

    expect(told.map(({ reason }) => reason)).toEqual(
      [14, 13, 12, 11, 10, 9, 8, 7, 6, 5].map((second) => `Reason${second}`),
    );
    expect(told[0]).toEqual({
      type: 'Warning',
      reason: 'Reason14',
      message: 'why',
      count: 1,
      lastSeenAtEpochMs: 1_767_225_614_000,
    });
  });

  test('have their counts, whichever API wrote them', () => {
    const series = { count: 7, lastObservedTime: '2026-01-01T00:00:30Z' };
    const inSeries = eventAt(1, { count: null, lastTimestamp: null, series });
    const single = EventView.parse({ involvedObject: {}, eventTime: '2026-01-01T00:00:20Z', count: 0 });

    expect(tellEvents([single, inSeries], [])).toMatchObject([
      { count: 7, lastSeenAtEpochMs: 1_767_225_630_000 },
      { type: 'Normal', reason: '', message: '', count: 1, lastSeenAtEpochMs: 1_767_225_620_000 },
    ]);
  });

  test('have only what the cluster says of them', () => {
    expect(tellEvents([EventView.parse({ involvedObject: {} })], [])).toStrictEqual([
      { type: 'Normal', reason: '', message: '', count: 1 },
    ]);
  });

  test('are short and without secrets', () => {
    const [told] = tellEvents([eventAt(1, { message: `hunter2${'x'.repeat(5000)}` })], ['hunter2']);

    expect(told?.message).toHaveLength(1024);
    expect(told?.message).toMatch(/^\[masked\]x/);
  });

  test('are well-formed Unicode, wherever they are cut', () => {
    const [told] = tellEvents([eventAt(1, { message: `${'x'.repeat(1023)}🚀` })], []);

    expect(told?.message).toBe(`${'x'.repeat(1023)}\uFFFD`);
  });
});

describe('a log', () => {
  test('keeps its end, without secrets', () => {
    const told = tellLog(`${'a line\n'.repeat(2000)}password hunter2\nbye\n`, ['hunter2']);

    expect(Buffer.byteLength(told)).toBe(4096);
    expect(told).toMatch(/password \[masked\]\nbye\n$/);
  });

  test('keeps whole characters, at most 4 KiB', () => {
    const anyText = fc.string({ unit: anyCodePoint, minLength: 1, maxLength: 40 });
    fc.assert(
      fc.property(anyText, fc.nat(400), (text, times) => {
        const told = tellLog(text.repeat(times), []);

        expect(Buffer.byteLength(told)).toBeLessThanOrEqual(4096);
        expect(told.isWellFormed()).toBe(true);
        expect(text.toWellFormed().repeat(times).endsWith(told)).toBe(true);
      }),
    );
  });
});

const withAgent = (pod: PodView): PodView => ({
  ...pod,
  spec: {
    ...pod.spec,
    containers: [
      { name: 'helper', env: [{ name: 'PATH' }] },
      { name: 'agent', env: [{ name: 'PATH' }, { name: 'DAVIT_AGENT_NAME' }] },
    ],
  },
});

describe('the container whose log is kept', () => {
  const crashed = { lastState: { terminated: { exitCode: 1 } } };
  test.each([
    ['is the one that failed', [running('agent'), terminated('helper', 1)], 'helper'],
    ['is one that crashes again', [running('agent'), { ...waiting('helper', 'Back'), ...crashed }], 'helper'],
    ['is one that crashed and has no state now', [running('agent'), { name: 'helper', ...crashed }], 'helper'],
    ["is the agent's, if none failed", [running('stray'), running('helper'), running('agent')], 'agent'],
    ["is the agent's, if another one ended well", [terminated('helper', 0), running('agent')], 'agent'],
    ['is one that runs, if the agent was not started', [running('helper'), waiting('agent', 'Pull')], 'helper'],
    ['is undefined before one was started', [waiting('agent', 'ContainerCreating'), { name: 'helper' }], undefined],
  ])('%s', (_fact, statuses, container) => {
    expect(containerToTell(withAgent(podView({ containerStatuses: statuses })))).toBe(container);
  });

  test('is the init container that failed', () => {
    const status = {
      initContainerStatuses: [terminated('fetch', 2)],
      containerStatuses: [waiting('agent', 'Waiting')],
    };

    expect(containerToTell(podView(status))).toBe('fetch');
  });

  test("is no init container's while another one runs, if none has the agent's environment", () => {
    const status = { initContainerStatuses: [running('proxy')], containerStatuses: [running('agent')] };

    expect(containerToTell(podView(status))).toBe('agent');
  });

  test('is not one that failed before and runs now', () => {
    const containerStatuses = [{ ...running('helper'), ...crashed }, running('agent')];

    expect(containerToTell(withAgent(podView({ containerStatuses })))).toBe('agent');
  });
});

describe("a container's termination message", () => {
  const ended = saying('agent', 1, 'Error', 'no licence\n');
  const told = (log: string, status: ContainerStatusView) => {
    return withLastWords(log, podView({ containerStatuses: [status] }), 'agent');
  };

  test('follows the log, also when the container waits for its restart', () => {
    const back = { ...waiting('agent', 'CrashLoopBackOff'), lastState: ended.state };

    expect(told('hello', ended)).toBe('hello\ntermination message: no licence\n');
    expect(told('hello', back)).toBe('hello\ntermination message: no licence\n');
  });

  test('appears once when it is the end of the log', () => {
    expect(told('hello\nno licence\n', ended)).toBe('hello\nno licence\n');
  });

  test.each([
    ['a container without a message', terminated('agent', 1)],
    ['a running container', running('agent')],
    ['another container', saying('helper', 1, 'Error', 'bye')],
  ])('leaves the log of %s unchanged', (_which, status) => {
    expect(told('hello\n', status)).toBe('hello\n');
  });
});

test('the diagnostics of a launch are the same after they were stored', () => {
  const diagnostics = {
    atEpochMs: 1_767_225_600_000,
    events: tellEvents([eventAt(1)], []),
    log: { container: 'agent', text: 'bye\n' },
    unread: ['the Events: forbidden'],
  };

  expect(Diagnostics.parse(diagnostics)).toEqual(diagnostics);
});

import type { Context } from 'aws-lambda';
import * as z from 'zod';
import { PendingError, TerminalError, TransientError } from '../../../core/errors/errors.ts';
import { eventHandler } from '../../../runtime/event-handler.ts';
import { logger } from '../../../runtime/logger.ts';
import type { Metrics } from '../../../runtime/metrics/metrics.ts';
import { RecordingMetrics } from '../../support/recording-metrics.ts';

// Discards the log: the test is about the state machine's view.
beforeAll(() => logger.setLogLevel('SILENT'));

const Input = z.object({ launchId: z.string(), port: z.int().positive() });
const Output = z.object({ port: z.int().positive() });

const nowEpochMs = () => 1_780_308_010_000;

function handlerOf(
  run: (input: z.infer<typeof Input>) => Promise<z.infer<typeof Output>>,
  metrics = new RecordingMetrics(),
) {
  return eventHandler({ name: 'PollNodePort', Input, Output, run }, { metrics, nowEpochMs });
}

test('a step gets only its own input and returns only its own output', async () => {
  const given: unknown[] = [];
  const handler = handlerOf(async (input) => {
    given.push(input);
    return { port: 30_080, secret: "not for the execution's data" };
  });

  const output = await handler({ launchId: 'github-1-2-1', port: 8811, unknown: true });

  expect(given).toEqual([{ launchId: 'github-1-2-1', port: 8811 }]);
  expect(output).toEqual({ port: 30_080 });
});

describe('data that does not fit the step', () => {
  test.each([undefined, null, 'text', [], {}, { launchId: 'github-1-2-1', port: 0 }])(
    'is refused before the step runs: %j',
    async (event) => {
      let runs = 0;
      const handler = handlerOf(async () => {
        runs += 1;
        return { port: 1 };
      });

      await expect(handler(event)).rejects.toMatchObject({ name: 'TerminalError', code: 'InputInvalid' });
      expect(runs).toBe(0);
    },
  );

  test('is refused by field, without its value', async () => {
    const handler = handlerOf(async () => ({ port: 1 }));

    await expect(handler({ launchId: { token: 'hunter2' }, port: 8811 })).rejects.toThrow(
      'InputInvalid: PollNodePort: ✖ Invalid input: expected string, received object\n  → at launchId',
    );
  });
});

test('a step with an invalid output fails, and passes nothing on', async () => {
  const handler = handlerOf(async () => ({ port: 0 }));

  await expect(handler({ launchId: 'github-1-2-1', port: 8811 })).rejects.toBeInstanceOf(z.core.$ZodError);
});

test.each([
  { error: new PendingError('NodePortPending', 'no port'), counted: ['Waits', { code: 'NodePortPending' }] },
  { error: new TransientError('ClusterFault', 'HTTP 500'), counted: ['Retries', { code: 'ClusterFault' }] },
  { error: new TerminalError('PodFailed', 'phase Failed'), counted: undefined },
  { error: new TypeError('x is undefined'), counted: ['Defects', {}] },
])('a $error.name of the step passes unchanged, and is counted as what it is', async ({ error, counted }) => {
  const metrics = new RecordingMetrics();
  const handler = handlerOf(async () => {
    throw error;
  }, metrics);

  await expect(handler({ launchId: 'github-1-2-1', port: 8811 })).rejects.toBe(error);
  expect(metrics.points.map(({ name, dimensions }) => [name, dimensions])).toEqual(
    counted === undefined ? [] : [counted],
  );
});

const waits = async () => {
  throw new PendingError('NodePortPending', 'no port');
};
const startedAtEpochMs = 1_780_308_000_000;
test.each([
  { what: 'its time', started: { startedAtEpochMs }, run: async () => ({ port: 1 }), named: 'StepTime', keys: {} },
  { what: 'its waits', started: {}, run: waits, named: 'Waits', keys: { step: 'PollNodePort' } },
])("a step's metrics name the launch: $what", async ({ started, run, named, keys }) => {
  const points: unknown[] = [];
  const metrics: Metrics = { put: (name, _value, _dimensions, properties) => void points.push([name, properties]) };
  const handler = eventHandler({ name: 'PollNodePort', Input, Output, run }, { metrics, nowEpochMs });

  await handler({ launchId: 'github-1-2-1', cluster: 'sandbox', port: 8811, ...started }).catch(() => undefined);

  expect(points).toEqual([[named, { launchId: 'github-1-2-1', cluster: 'sandbox', ...keys }]]);
});

describe('the time of a step', () => {
  const done = async (event: object) => {
    const metrics = new RecordingMetrics();
    await handlerOf(async () => ({ port: 1 }), metrics)({ launchId: 'github-1-2-1', port: 8811, ...event });
    return metrics.points;
  };

  test("counts from the latest moment in the launch's data", async () => {
    const points = await done({
      startedAtEpochMs: 1_780_308_000_000,
      service: { uid: 'u', createdAtEpochMs: 1_780_308_002_000 },
      nodePort: { port: 30_080, readAtEpochMs: 1_780_308_003_500 },
    });

    expect(points).toEqual([{ name: 'StepTime', value: 6500, dimensions: { step: 'PollNodePort' } }]);
  });

  test.each([
    { service: { createdAtEpochMs: 1_780_308_009_000 } },
    { nodePort: { readAtEpochMs: 1_780_308_009_000 } },
    { pod: { createdAtEpochMs: 1_780_308_009_000 } },
    { placement: { placedAtEpochMs: 1_780_308_009_000 } },
    { token: { publishedAtEpochMs: 1_780_308_009_000 } },
  ])('counts from the end of the step before: %j', async (before) => {
    expect(await done({ startedAtEpochMs: 1_780_308_000_000, ...before })).toMatchObject([{ value: 1000 }]);
  });

  test('is zero when the moment is ahead of the clock', async () => {
    const points = await done({ startedAtEpochMs: 1_780_308_010_500 });

    expect(points).toEqual([{ name: 'StepTime', value: 0, dimensions: { step: 'PollNodePort' } }]);
  });

  test.each([
    ["data that is not a launch's", {}],
    ['data of a failure', { startedAtEpochMs: 1_780_308_000_000, failure: { Error: 'E', Cause: 'c' } }],
  ])('is not measured for %s', async (_what, event) => {
    expect(await done(event)).toEqual([]);
  });
});

describe('the log of a step', () => {
  beforeEach(() => logger.setLogLevel('INFO'));
  afterEach(() => {
    logger.setLogLevel('SILENT');
    jest.restoreAllMocks();
  });

  /** Runs a step on a launch's data, and reads what it writes to standard output and standard error. */
  async function logOf(run: () => Promise<{ port: number }>, context?: Context): Promise<unknown[]> {
    const lines: unknown[] = [];
    for (const stream of [process.stdout, process.stderr]) {
      jest.spyOn(stream, 'write').mockImplementation((text) => lines.push(JSON.parse(String(text))) > 0);
    }
    await handlerOf(run)({ ...launch, port: 8811 }, context).catch(() => undefined);
    return lines;
  }
  const launch = {
    launchId: 'github-1-2-1',
    agentName: 'davit-github-1-2-1',
    cluster: 'sandbox',
    profile: 'linux',
    executionArn: 'arn:aws:states:eu-central-1:123456789012:execution:davit:github-1-2-1',
    traceHeader: 'Root=1-67891233-abcdef012345678912345678',
  };

  test("has a line for each attempt, with the launch's keys", async () => {
    const context = { awsRequestId: 'request-1', functionName: 'davit-poll-node-port' } as Context;

    const lines = await logOf(async () => ({ port: 1 }), context);

    expect(lines).toMatchObject([
      {
        level: 'INFO',
        message: 'PollNodePort done',
        step: 'PollNodePort',
        ...launch,
        function_request_id: 'request-1',
      },
    ]);
  });

  const unexpected = { level: 'ERROR', message: 'PollNodePort failed unexpectedly' };
  const [pending, transient] = ['NodePortPending: no port', 'ClusterFault: HTTP 500'];
  test.each([
    { error: new PendingError('NodePortPending', 'no port'), line: { level: 'INFO', message: pending } },
    {
      error: new TransientError('ClusterFault', 'HTTP 500'),
      line: { level: 'WARN', message: transient, code: 'ClusterFault' },
    },
    { error: new TypeError('x is undefined'), line: { ...unexpected, error: { message: 'x is undefined' } } },
    { error: 'a text', line: { ...unexpected, error: { message: 'a text' } } },
  ])('tells $error at its level', async ({ error, line }) => {
    const fail = async () => {
      throw error;
    };

    expect(await logOf(fail)).toMatchObject([{ ...line, launchId: 'github-1-2-1' }]);
  });
});

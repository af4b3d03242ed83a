import { StartExecutionCommand, StopExecutionCommand } from '@aws-sdk/client-sfn';
import type { InvocationResult } from '../../../../local/runtime/invocation.ts';
import { AwsServiceError } from '../../../support/aws/aws-service-error.ts';
import { eventually } from '../../../support/eventually.ts';
import { ended, historyOf, run } from '../fixtures/ended-execution.ts';
import { probeTask } from '../fixtures/probe-machine.ts';
import { startProbeService, threw } from '../fixtures/probe-service.ts';

const catchAll = { Catch: [{ ErrorEquals: ['States.ALL'], ResultPath: '$.failure', Next: 'CleanUp' }] };

describe('an execution', () => {
  test('has a history of each step as on AWS', async () => {
    await using service = await startProbeService({
      states: {
        Which: { Type: 'Choice', Choices: [{ Variable: '$.go', BooleanEquals: true, Next: 'Task' }] },
        Task: probeTask({ Next: 'Done' }),
        Done: { Type: 'Succeed' },
      },
    });

    const { executionArn } = await run(service, { go: true });

    const events = await historyOf(service, executionArn);
    expect(events.map(({ id, previousEventId, type }) => [id, previousEventId, type])).toEqual([
      [1, 0, 'ExecutionStarted'],
      [2, 0, 'ChoiceStateEntered'],
      [3, 2, 'ChoiceStateExited'],
      [4, 3, 'TaskStateEntered'],
      [5, 4, 'TaskScheduled'],
      [6, 5, 'TaskStarted'],
      [7, 6, 'TaskSucceeded'],
      [8, 7, 'TaskStateExited'],
      [9, 8, 'SucceedStateEntered'],
      [10, 9, 'SucceedStateExited'],
      [11, 10, 'ExecutionSucceeded'],
    ]);
    expect(events[3]?.stateEnteredEventDetails).toMatchObject({ name: 'Task', input: '{"go":true}' });
    expect(events[4]?.taskScheduledEventDetails?.parameters).toBe('{"FunctionName":"probe","Payload":{"go":true}}');
    expect(events[0]?.timestamp).toBeInstanceOf(Date);
  });
});

describe('an error', () => {
  test('of a function is matched by its type, and its cause is the payload as JSON', async () => {
    await using service = await startProbeService({
      states: {
        Task: probeTask({
          Catch: [{ ErrorEquals: ['davit.Terminal'], ResultPath: '$.failure', Next: 'CleanUp' }],
          End: true,
        }),
        CleanUp: { Type: 'Pass', End: true },
      },
      invokeFunction: async () => threw('davit.Terminal', 'no such image'),
    });

    const { output } = await run(service, { kept: 1 });

    const { kept, failure } = JSON.parse(output ?? '');
    expect([kept, failure.Error]).toEqual([1, 'davit.Terminal']);
    expect(JSON.parse(failure.Cause)).toEqual({
      errorType: 'davit.Terminal',
      errorMessage: 'no such image',
      trace: [],
    });
  });

  test('that nothing catches fails the execution', async () => {
    await using service = await startProbeService({ invokeFunction: async () => threw('davit.Terminal', 'no') });

    const { status, error, cause, executionArn } = await run(service, {});

    expect([status, error, JSON.parse(cause ?? '').errorMessage]).toEqual(['FAILED', 'davit.Terminal', 'no']);
    expect((await historyOf(service, executionArn)).at(-1)?.executionFailedEventDetails?.error).toBe('davit.Terminal');
  });

  test('of Lambda itself has its prefix', async () => {
    await using service = await startProbeService({
      invokeFunction: async () => {
        throw new AwsServiceError('TooManyRequestsException', 'Rate exceeded', 429);
      },
    });

    expect(await run(service, {})).toMatchObject({ status: 'FAILED', error: 'Lambda.TooManyRequestsException' });
  });

  test('of a result over 256 KiB is States.DataLimitExceeded, which States.ALL does not catch', async () => {
    await using service = await startProbeService({
      states: { Task: probeTask({ ...catchAll, End: true }), CleanUp: { Type: 'Pass', End: true } },
      invokeFunction: async () => ({ requestId: 'r', payload: 'x'.repeat(256 * 1024) }),
    });

    expect(await run(service, {})).toMatchObject({ status: 'FAILED', error: 'States.DataLimitExceeded' });
  });
});

describe('time', () => {
  test('a Task over its TimeoutSeconds is States.Timeout, and its late answer changes nothing', async () => {
    const late = Promise.withResolvers<InvocationResult>();
    const cleanUp = async (): Promise<InvocationResult> => {
      late.resolve({ requestId: 'r', payload: 'late' });
      await new Promise(setImmediate);
      return { requestId: 'r', payload: 'cleaned up' };
    };
    await using service = await startProbeService({
      states: {
        Task: probeTask({ TimeoutSeconds: 1, ...catchAll, End: true }),
        CleanUp: probeTask({ ResultPath: '$.result', End: true }),
      },
      invokeFunction: (_name, event) => (JSON.stringify(event).includes('failure') ? cleanUp() : late.promise),
    });

    const { output, executionArn } = await run(service, {});

    expect(JSON.parse(output ?? '')).toMatchObject({
      failure: { Error: 'States.Timeout' },
      result: { value: 'cleaned up' },
    });
    const types = (await historyOf(service, executionArn)).map(({ type }) => type);
    expect(types.filter((type) => /^Task(?:Scheduled|TimedOut|Succeeded)$/.test(type ?? ''))).toEqual([
      'TaskScheduled',
      'TaskTimedOut',
      'TaskScheduled',
      'TaskSucceeded',
    ]);
  });

  test("an execution over the machine's TimeoutSeconds is TIMED_OUT, and starts nothing more", async () => {
    let calls = 0;
    const Retry = [{ ErrorEquals: ['States.ALL'], IntervalSeconds: 30, MaxAttempts: 5 }];
    await using service = await startProbeService({
      machine: { TimeoutSeconds: 1 },
      states: { Task: probeTask({ Retry, End: true }) },
      invokeFunction: async () => {
        calls += 1;
        return threw('davit.Pending', 'not yet');
      },
    });

    const { status, executionArn } = await run(service, {});
    await new Promise(setImmediate);

    expect([status, calls]).toEqual(['TIMED_OUT', 1]);
    expect((await historyOf(service, executionArn)).at(-1)?.type).toBe('ExecutionTimedOut');
  });
});

describe('StopExecution', () => {
  test('stops a waiting retry', async () => {
    let calls = 0;
    const Retry = [{ ErrorEquals: ['States.ALL'], IntervalSeconds: 600, MaxAttempts: 5 }];
    await using service = await startProbeService({
      states: { Task: probeTask({ Retry, ...catchAll, End: true }), CleanUp: probeTask({ End: true }) },
      invokeFunction: async () => {
        calls += 1;
        return threw('davit.Pending', 'not yet');
      },
    });
    const stateMachineArn = service.server.stateMachineArn;
    const { executionArn } = await service.sfn.send(new StartExecutionCommand({ stateMachineArn }));
    await eventually(async () =>
      expect(await historyOf(service, executionArn)).toContainEqual(expect.objectContaining({ type: 'TaskFailed' })),
    );

    await service.sfn.send(new StopExecutionCommand({ executionArn }));
    await new Promise(setImmediate);

    expect([(await ended(service, executionArn)).status, calls]).toEqual(['ABORTED', 1]);
  });

  test('of an ended execution returns its own end and changes nothing', async () => {
    await using service = await startProbeService();
    const before = await run(service, {});

    const { stopDate } = await service.sfn.send(
      new StopExecutionCommand({ executionArn: before.executionArn, error: 'E' }),
    );

    const after = await ended(service, before.executionArn);
    expect(stopDate).toEqual(before.stopDate);
    expect([after.status, after.error]).toEqual(['SUCCEEDED', undefined]);
  });
});

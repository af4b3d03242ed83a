import {
  DescribeExecutionCommand,
  type ExecutionListItem,
  ListExecutionsCommand,
  StartExecutionCommand,
} from '@aws-sdk/client-sfn';
import { historyOf, run } from '../fixtures/ended-execution.ts';
import { type ProbeService, startProbeService } from '../fixtures/probe-service.ts';

const names = (executions: ExecutionListItem[] = []) => executions.map(({ name }) => name);
const never = () => new Promise<never>(() => undefined);

function start(service: ProbeService, rest: { name?: string; input?: string; stateMachineArn?: string }) {
  return service.sfn.send(new StartExecutionCommand({ stateMachineArn: service.server.stateMachineArn, ...rest }));
}

describe('StartExecution', () => {
  test.each(['', 'a b', 'a/b', 'a:b', 'a<b', 'a*b', 'a"b', 'a#b', 'a\u0000b', 'a\u0085b', 'x'.repeat(81)])(
    'with the name %j is InvalidName',
    async (name) => {
      await using service = await startProbeService();

      await expect(start(service, { name })).rejects.toMatchObject({ name: 'InvalidName' });
    },
  );

  test.each(['gh-123.456_789-1', 'ü', 'x'.repeat(80), '(@)!=+'])('with the name %j is accepted', async (name) => {
    await using service = await startProbeService();

    expect((await run(service, {}, name)).name).toBe(name);
  });

  test.each(['', '{', 'undefined', `"${'x'.repeat(256 * 1024)}"`])(
    'with input that is not JSON, or too large, is refused',
    async (input) => {
      await using service = await startProbeService();

      await expect(start(service, { input })).rejects.toMatchObject({ name: 'InvalidExecutionInput' });
    },
  );

  test('for another state machine is StateMachineDoesNotExist', async () => {
    await using service = await startProbeService();

    const stateMachineArn = 'arn:aws:states:us-east-1:000000000000:stateMachine:other';
    await expect(start(service, { stateMachineArn })).rejects.toMatchObject({ name: 'StateMachineDoesNotExist' });
  });

  test('generates a missing name, and takes {} for missing input', async () => {
    await using service = await startProbeService({ invokeFunction: never });

    const { executionArn } = await start(service, {});

    const description = await service.sfn.send(new DescribeExecutionCommand({ executionArn }));
    expect(description).toMatchObject({
      status: 'RUNNING',
      input: '{}',
      name: expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
  });
});

describe('ListExecutions', () => {
  test('returns pages, newest first, which new executions do not shift', async () => {
    await using service = await startProbeService();
    for (const name of ['a', 'b', 'c', 'd', 'e']) await run(service, {}, name);
    const list = { stateMachineArn: service.server.stateMachineArn, maxResults: 2 };

    const first = await service.sfn.send(new ListExecutionsCommand(list));
    await run(service, {}, 'f');
    const second = await service.sfn.send(new ListExecutionsCommand({ ...list, nextToken: first.nextToken }));
    const third = await service.sfn.send(new ListExecutionsCommand({ ...list, nextToken: second.nextToken }));

    expect([first, second, third].map(({ executions }) => names(executions))).toEqual([['e', 'd'], ['c', 'b'], ['a']]);
    expect(third.nextToken).toBeUndefined();
  });
});

test('an ended execution loses its history and its data when newer ones end, and keeps its name and its ending', async () => {
  await using service = await startProbeService({ keptHistories: 1 });

  const { executionArn } = await run(service, {}, 'a');
  const newer = await run(service, {}, 'b');

  const described = await service.sfn.send(new DescribeExecutionCommand({ executionArn }));
  expect(described).toMatchObject({ name: 'a', status: 'SUCCEEDED', inputDetails: { included: false } });
  expect(described).not.toHaveProperty('input');
  expect(described).not.toHaveProperty('output');
  expect(await historyOf(service, executionArn)).toEqual([]);
  expect(await historyOf(service, newer.executionArn)).toHaveLength(7);
  await expect(run(service, {}, 'a')).rejects.toMatchObject({ name: 'ExecutionAlreadyExists' });
});

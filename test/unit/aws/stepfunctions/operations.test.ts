import {
  DescribeExecutionCommand,
  DescribeStateMachineCommand,
  type ExecutionListItem,
  GetExecutionHistoryCommand,
  ListExecutionsCommand,
  StartExecutionCommand,
  StopExecutionCommand,
} from '@aws-sdk/client-sfn';
import { Sha256 } from '@smithy/core/checksum';
import { SignatureV4 } from '@smithy/signature-v4';
import { historyOf, run } from '../fixtures/ended-execution.ts';
import { type ProbeService, startProbeService } from '../fixtures/probe-service.ts';

const names = (executions: ExecutionListItem[] = []) => executions.map(({ name }) => name);
const never = () => new Promise<never>(() => undefined);

/** Sends a signed request with any body: the SDK's client sends no malformed ones. */
async function post(url: string, target: string, body: string): Promise<Response> {
  const { protocol, hostname, host } = new URL(url);
  const signer = new SignatureV4({
    service: 'states',
    region: 'us-east-1',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
    sha256: Sha256,
  });
  const headers = { host, 'x-amz-target': target };
  const signed = await signer.sign({ method: 'POST', protocol, hostname, path: '/', headers, body });
  return fetch(url, { method: 'POST', headers: signed.headers, body });
}

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

test.each(['known', 'arn:aws:states:us-east-1:000000000000:execution:other:known', 'constructor'])(
  'the unknown execution %j is ExecutionDoesNotExist to every operation',
  async (executionArn) => {
    await using service = await startProbeService();
    await run(service, {}, 'known');

    const sent = [
      service.sfn.send(new DescribeExecutionCommand({ executionArn })),
      service.sfn.send(new StopExecutionCommand({ executionArn })),
      service.sfn.send(new GetExecutionHistoryCommand({ executionArn })),
    ];

    for (const outcome of await Promise.allSettled(sent)) {
      expect(outcome).toMatchObject({ status: 'rejected', reason: { name: 'ExecutionDoesNotExist' } });
    }
  },
);

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

  test('refuses a token that it has not issued', async () => {
    await using service = await startProbeService();
    const { stateMachineArn } = service.server;

    const sent = service.sfn.send(new ListExecutionsCommand({ stateMachineArn, nextToken: 'malformed' }));

    await expect(sent).rejects.toMatchObject({ name: 'InvalidToken' });
  });
});

test('GetExecutionHistory returns pages', async () => {
  await using service = await startProbeService();
  const { executionArn } = await run(service, {});
  const page = async (nextToken?: string) =>
    service.sfn.send(new GetExecutionHistoryCommand({ executionArn, maxResults: 4, nextToken }));

  const first = await page();
  const second = await page(first.nextToken);

  expect(first.events?.map(({ id }) => id)).toEqual([1, 2, 3, 4]);
  expect(second.events?.map(({ id }) => id)).toEqual([5, 6, 7]);
});

describe('the protocol', () => {
  test('an unknown operation is UnknownOperationException', async () => {
    await using service = await startProbeService();

    for (const target of ['AWSStepFunctions.toString', 'AWSStepFunctions.Nothing', 'Other.StartExecution', '']) {
      const response = await post(service.server.url, target, '{}');
      expect([response.status, await response.json()]).toMatchObject([400, { __type: 'UnknownOperationException' }]);
    }
  });

  test('a body that is not JSON is SerializationException', async () => {
    await using service = await startProbeService();

    const response = await post(service.server.url, 'AWSStepFunctions.StartExecution', '{');

    expect(response.headers.get('x-amzn-errortype')).toBe('SerializationException');
    expect(response.headers.get('x-amzn-requestid')).toMatch(/^[0-9a-f-]{36}$/);
  });

  test('a field of the wrong type is ValidationException and named', async () => {
    await using service = await startProbeService();

    const response = await post(service.server.url, 'AWSStepFunctions.StartExecution', '{"stateMachineArn":1}');

    expect(await response.json()).toMatchObject({
      __type: 'ValidationException',
      message: expect.stringContaining('stateMachineArn'),
    });
  });

  test('the state machine describes itself', async () => {
    await using service = await startProbeService();
    const { stateMachineArn } = service.server;

    const description = await service.sfn.send(new DescribeStateMachineCommand({ stateMachineArn }));

    expect(description).toMatchObject({ name: 'probe', type: 'STANDARD', status: 'ACTIVE' });
    expect(description.definition).toContain('"FunctionName":"probe"');
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

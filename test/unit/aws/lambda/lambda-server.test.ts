import { type InvocationType, InvokeCommand } from '@aws-sdk/client-lambda';
import type { JsonValue } from '../../../../local/json-value.ts';
import type { FunctionHost } from '../../../support/aws/lambda/function-host.ts';
import { type LambdaServer, startLambdaServer } from '../../../support/aws/lambda/lambda-server.ts';
import { eventually } from '../../../support/eventually.ts';
import { lambdaClient } from '../fixtures/aws-clients.ts';
import { probeHost } from '../fixtures/probe-host.ts';

const command = (event: JsonValue, InvocationType: InvocationType = 'RequestResponse', FunctionName = 'probe') =>
  new InvokeCommand({ FunctionName, InvocationType, Payload: Buffer.from(JSON.stringify(event)) });

/** A host whose only function, `probe`, fails this many times. */
function countingHost(failures: number): FunctionHost & { events: JsonValue[] } {
  const events: JsonValue[] = [];
  const error = { errorType: 'Error', errorMessage: 'as told', trace: [] };
  return {
    ...probeHost(),
    events,
    has: (name) => name === 'probe',
    invoke: async (_name, event) => {
      events.push(event);
      if (events.length <= failures) return { requestId: 'r', functionError: 'Unhandled', payload: error };
      return { requestId: 'r', payload: null };
    },
  };
}

test('the runtime queues an event without a request, and none after the stop', async () => {
  const host = countingHost(0);
  const server = await startLambdaServer({ host });

  server.invokeLater('probe', { act: 'echo' });
  await eventually(() => expect(host.events).toHaveLength(1));
  await server.stop();
  server.invokeLater('probe', { act: 'late' });

  expect(host.events).toEqual([{ act: 'echo' }]);
});

describe('RequestResponse', () => {
  const host = probeHost();
  let server: LambdaServer;
  beforeAll(async () => {
    server = await startLambdaServer({ host });
  });
  afterAll(async () => {
    await server.stop();
    await host[Symbol.asyncDispose]();
  });

  test('the answer contains the payload and the version', async () => {
    const result = await lambdaClient(server.url).send(command({ act: 'echo' }));

    expect(result).toMatchObject({ StatusCode: 200, ExecutedVersion: '$LATEST' });
    expect(JSON.parse(result.Payload?.transformToString() ?? '')).toEqual({ event: { act: 'echo' } });
  });

  test('a function that throws is a 200 with FunctionError', async () => {
    const result = await lambdaClient(server.url).send(command({ act: 'throw' }));

    expect(result).toMatchObject({ StatusCode: 200, FunctionError: 'Unhandled' });
    expect(JSON.parse(result.Payload?.transformToString() ?? '')).toMatchObject({ errorType: 'davit.Pending' });
  });

  test('an unknown function is a ResourceNotFoundException', async () => {
    const sent = lambdaClient(server.url).send(command({}, 'RequestResponse', 'nobody'));

    await expect(sent).rejects.toMatchObject({ name: 'ResourceNotFoundException', $metadata: { httpStatusCode: 404 } });
  });

  test('an event that is not JSON is an InvalidRequestContentException', async () => {
    const sent = lambdaClient(server.url).send(new InvokeCommand({ FunctionName: 'probe', Payload: Buffer.from('{') }));

    await expect(sent).rejects.toMatchObject({ name: 'InvalidRequestContentException' });
  });
});

describe('an asynchronous invocation', () => {
  test('is tried at most three times, then dropped with a log line', async () => {
    const dropped: string[] = [];
    const host = countingHost(99);
    await using server = await startLambdaServer({
      host,
      retryDelaysMs: [1, 1],
      onDropped: (name, reason) => dropped.push(`${name}: ${reason}`),
    });

    await lambdaClient(server.url).send(command({ n: 1 }, 'Event'));

    await eventually(() => expect(dropped).toEqual(['probe: Error: as told']));
    expect(host.events).toHaveLength(3);
  });

  test('over 1 MB is a RequestTooLargeException', async () => {
    await using server = await startLambdaServer({ host: countingHost(0) });

    const sent = lambdaClient(server.url).send(command('x'.repeat(1024 * 1024), 'Event'));

    await expect(sent).rejects.toMatchObject({ name: 'RequestTooLargeException' });
  });
});

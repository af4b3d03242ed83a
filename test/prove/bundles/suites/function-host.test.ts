import { eventually } from '../../../support/eventually.ts';
import { fixtureFunction, type Isolation, probeHost } from '../../../unit/aws/fixtures/probe-host.ts';

// Each process needs time to start.
describe.each<Isolation>(['threads', 'shared thread', 'processes'])('in %s,', (isolation) => {
  /** The host of the tests that leave its functions as they are. */
  let shared: ReturnType<typeof probeHost>;
  beforeAll(() => {
    shared = probeHost({ isolation });
  });
  afterAll(() => shared[Symbol.asyncDispose]());

  describe('a function that answers', () => {
    test('returns its result as JSON', async () => {
      const result = await shared.invoke('probe', { act: 'echo', nested: [1, null, 'ü'] });

      expect(result.functionError).toBeUndefined();
      expect(result.payload).toEqual({ event: { act: 'echo', nested: [1, null, 'ü'] } });
    });

    test('is found by its ARN, with and without a qualifier', async () => {
      const arn = 'arn:aws:lambda:us-east-1:000000000000:function:probe';
      const results = await Promise.all(
        [arn, `${arn}:live`, 'function:probe'].map((name) => shared.invoke(name, { act: 'echo' })),
      );

      expect(results.map((result) => result.functionError)).toEqual([undefined, undefined, undefined]);
    });

    test("has its own environment, with Lambda's additions and nothing of this process", async () => {
      const { payload } = await shared.invoke('probe', { act: 'env' });

      expect(payload).toMatchObject({
        COLOUR: 'red',
        AWS_REGION: 'us-east-1',
        AWS_LAMBDA_FUNCTION_NAME: 'probe',
        TZ: ':UTC',
      });
      expect(payload).not.toHaveProperty('PATH');
    });

    test('has a context that names the request and the function', async () => {
      await using host = probeHost({ isolation, timeoutSeconds: 20 });

      const { payload, requestId } = await host.invoke('probe', { act: 'context' });

      expect(payload).toMatchObject({
        awsRequestId: requestId,
        functionName: 'probe',
        functionVersion: '$LATEST',
        memoryLimitInMB: '64',
        invokedFunctionArn: 'arn:aws:lambda:us-east-1:000000000000:function:probe',
        remainingMs: expect.any(Number),
      });
    });

    test('writes its output to the log under its name', async () => {
      const lines: string[] = [];
      await using host = probeHost({ isolation, log: (name, text) => lines.push(`${name}: ${text}`) });

      const { requestId } = await host.invoke('probe', { act: 'log' });

      await eventually(() => expect(lines.join('')).toContain(`probe: log line of ${requestId}`));
    });

    test('passes on a line as a whole, however long it is', async () => {
      const pieces: string[] = [];
      await using host = probeHost({ isolation, log: (_name, text) => pieces.push(text) });

      await host.invoke('probe', { act: 'log', sizeBytes: 300_000 });

      await eventually(() =>
        expect(pieces.filter((text) => text.includes('..')).map(({ length }) => length)).toEqual([300_049]),
      );
    });

    test('reports each invocation, successful or not, with its duration', async () => {
      const heard: [string, number][] = [];
      await using host = probeHost({ isolation, onInvoked: (...invoked) => heard.push(invoked) });

      await host.invoke('probe', { act: 'echo', delayMs: 50 });
      await host.invoke('probe', { act: 'throw' });

      expect(heard).toEqual([
        ['probe', expect.any(Number)],
        ['probe', expect.any(Number)],
      ]);
      expect(heard[0]?.[1]).toBeGreaterThan(49);
    });

    test('many invocations run at the same time', async () => {
      const events = Array.from({ length: 6 }, (_, index) => ({ act: 'echo', delayMs: 50, index }));

      const results = await Promise.all(events.map((event) => shared.invoke('probe', event)));

      expect(results.map(({ payload }) => payload)).toEqual(events.map((event) => ({ event })));
    });
  });

  describe('a function that fails', () => {
    test('reports a thrown error by name, message and trace', async () => {
      const result = await shared.invoke('probe', { act: 'throw' });

      expect(result).toMatchObject({
        functionError: 'Unhandled',
        payload: {
          errorType: 'davit.Pending',
          errorMessage: 'not yet',
          trace: expect.arrayContaining([expect.any(String)]),
        },
      });
    });

    test('reports a thrown value that is not an error by its type', async () => {
      const result = await shared.invoke('probe', { act: 'throw-string' });

      expect(result.payload).toEqual({ errorType: 'string', errorMessage: 'a bare string', trace: [] });
    });

    test.each(['hang', 'spin'])(
      'is timed out when it does not end (%s), and the next invocation works',
      async (act) => {
        await using host = probeHost({ isolation, timeoutSeconds: 0.3 });

        const result = await host.invoke('probe', { act });

        expect(result.payload).toMatchObject({
          errorType: 'Sandbox.Timedout',
          errorMessage: `RequestId: ${result.requestId} Error: Task timed out after 0.30 seconds`,
        });
        // On a busy machine, the start of the next process alone may take longer than the time-out.
        const next = async () => (await host.invoke('probe', { act: 'echo' })).functionError;
        await eventually(async () => expect(await next()).toBeUndefined());
      },
    );

    test.each([
      [{ act: 'exit', exitCode: 0 }, 'Runtime exited without providing a reason'],
      [{ act: 'exit', exitCode: 7 }, 'Runtime exited with error: exit status 7'],
      [{ act: 'crash' }, 'Runtime exited with error: exit status 1'],
    ])('is a Runtime.ExitError when it ends its runtime (%j), and the next invocation works', async (event, reason) => {
      await using host = probeHost({ isolation });

      const result = await host.invoke('probe', event);
      const next = await host.invoke('probe', { act: 'echo' });

      expect(result.payload).toMatchObject({
        errorType: 'Runtime.ExitError',
        errorMessage: `RequestId: ${result.requestId} Error: ${reason}`,
      });
      expect(next.functionError).toBeUndefined();
    });

    test('fails its present invocation when its worker is killed, and the next one works', async () => {
      await using host = probeHost({ isolation });
      await host.warm();

      const hanging = host.invoke('probe', { act: 'hang' });
      await host.killWorker('probe');

      expect((await hanging).payload).toMatchObject({ errorType: 'Runtime.ExitError' });
      expect((await host.invoke('probe', { act: 'echo' })).functionError).toBeUndefined();
    });

    test('ends with its host, which runs nothing more', async () => {
      await using host = probeHost({ isolation });
      await host.warm();

      const hanging = host.invoke('probe', { act: 'hang' });
      const again = hanging.then(() => host.invoke('probe', { act: 'echo' }));
      await host.stop();

      expect((await hanging).payload).toMatchObject({ errorType: 'Runtime.ExitError' });
      expect((await again).payload).toMatchObject({ errorType: 'Runtime.ExitError' });
    });

    test('fails all invocations, begun or not, when its worker is killed', async () => {
      await using host = probeHost({ isolation });

      const hanging = Array.from({ length: 8 }, () => host.invoke('probe', { act: 'hang' }));
      await host.killWorker('probe');

      for (const { payload } of await Promise.all(hanging)) {
        expect(payload).toMatchObject({ errorType: 'Runtime.ExitError' });
      }
    });

    test('fails each invocation with its own error when its module does not load', async () => {
      const broken = fixtureFunction('broken-handler.ts', isolation);
      await using host = probeHost({ isolation, functions: { broken } });

      const results = [await host.invoke('broken', {}), await host.invoke('broken', {})];

      for (const { payload } of results) {
        expect(payload).toMatchObject({ errorType: 'RangeError', errorMessage: 'the module is broken' });
      }
    });

    test('is named by warm when it does not load', async () => {
      const broken = fixtureFunction('broken-handler.ts', isolation);
      const handlerless = fixtureFunction('probe-machine.ts', isolation);
      await using host = probeHost({ isolation, functions: { broken, handlerless } });

      await expect(host.warm()).rejects.toThrow(/broken: RangeError.*\nhandlerless: Runtime.HandlerNotFound/);
    });
  });

  describe('limits', () => {
    test('an event over 6 MB is refused', async () => {
      const invocation = shared.invoke('probe', { act: 'echo', filler: 'x'.repeat(6 * 1024 * 1024) });

      await expect(invocation).rejects.toMatchObject({ name: 'RequestTooLargeException', statusCode: 413 });
    });

    test('a result over 6 MB is an error of the function', async () => {
      const result = await shared.invoke('probe', { act: 'big', sizeBytes: 6 * 1024 * 1024 });

      expect(result.payload).toMatchObject({ errorType: 'Function.ResponseSizeTooLarge' });
    });

    test('an unknown function is not found', async () => {
      await expect(shared.invoke('toString', {})).rejects.toMatchObject({ name: 'ResourceNotFoundException' });
    });
  });
});

import { createFunctionHost, type FunctionDefinition } from '../../../support/aws/lambda/function-host.ts';
import { sharedFunction } from '../fixtures/probe-host.ts';

function hostOf(functions: Record<string, FunctionDefinition>, log: (name: string, text: string) => void = () => {}) {
  return createFunctionHost({ functions, log });
}

test('functions that run at the same time each have their own environment and log', async () => {
  const written: Record<string, string> = { red: '', blue: '' };
  await using host = hostOf(
    {
      red: sharedFunction('red-handler.ts', { COLOUR: 'red' }),
      blue: sharedFunction('blue-handler.ts', { COLOUR: 'blue' }),
    },
    (name, text) => {
      written[name] += text;
    },
  );

  const [red, blue] = await Promise.all([host.invoke('red', {}), host.invoke('blue', {})]);

  expect(red.payload).toEqual({ atLoad: 'red', now: 'red', later: 'red' });
  expect(blue.payload).toEqual({ atLoad: 'blue', now: 'blue', later: 'blue' });
  expect(written).toEqual({
    red: 'written by red\ncomplained by red\n',
    blue: 'written by blue\ncomplained by blue\n',
  });
});

test('a module that two functions import must not read, while it loads, a variable that differs between them', async () => {
  await using host = hostOf({
    red: sharedFunction('shared-colour-handler.ts', { COLOUR: 'red' }),
    blue: sharedFunction('probe-handler.ts', { COLOUR: 'blue' }),
  });

  await expect(host.warm()).rejects.toThrow(
    /^functions do not load:\nred: Error: a module that functions share reads COLOUR while it loads: .*colour-at-load\.ts/,
  );
});

test('a shared module may read a variable that is the same for all functions', async () => {
  await using host = hostOf({
    one: sharedFunction('shared-colour-handler.ts', { COLOUR: 'green' }),
    other: sharedFunction('probe-handler.ts', { COLOUR: 'green' }),
  });

  const { payload } = await host.invoke('one', {});

  expect(payload).toEqual({ colour: 'green' });
});

test('a function that does not load fails alone, and the others run', async () => {
  await using host = hostOf({ broken: sharedFunction('broken-handler.ts'), probe: sharedFunction('probe-handler.ts') });

  await expect(host.warm()).rejects.toThrow(/^functions do not load:\nbroken: RangeError: the module is broken$/);
  const { payload } = await host.invoke('probe', { act: 'echo' });

  expect(payload).toEqual({ event: { act: 'echo' } });
});

test('a function that times out lets the others finish', async () => {
  const hangs = { ...sharedFunction('probe-handler.ts'), timeoutSeconds: 1 };
  const patient = { ...sharedFunction('red-handler.ts', { COLOUR: 'red' }), timeoutSeconds: 20 };
  const echo = { ...sharedFunction('probe-handler.ts'), timeoutSeconds: 20 };
  await using host = hostOf({ hangs, patient, echo });
  await host.warm();

  const finishing = host.invoke('echo', { act: 'echo', delayMs: 1500 });
  const hanging = await host.invoke('hangs', { act: 'hang' });
  const next = await host.invoke('patient', {});

  expect(hanging.payload).toMatchObject({ errorType: 'Sandbox.Timedout' });
  expect((await finishing).payload).toMatchObject({ event: { act: 'echo' } });
  expect(next.payload).toMatchObject({ now: 'red' });
});

test('killing one function ends the others in the same thread', async () => {
  await using host = hostOf({ one: sharedFunction('probe-handler.ts'), other: sharedFunction('probe-handler.ts') });
  await host.warm();

  const hanging = host.invoke('other', { act: 'hang' });
  await host.killWorker('one');

  expect((await hanging).payload).toMatchObject({ errorType: 'Runtime.ExitError' });
  expect((await host.invoke('other', { act: 'echo' })).functionError).toBeUndefined();
});

test("the functions' Kubernetes client has the API that they call, and no other", async () => {
  await using host = hostOf({ client: sharedFunction('kubernetes-client-handler.ts') });

  const { payload } = await host.invoke('client', {});

  expect(payload).toEqual({ CoreV1Api: 'made', AppsV1Api: 'TypeError' });
});

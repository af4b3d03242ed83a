import { EventEmitter, once } from 'node:events';
import * as z from 'zod';
import { createInvokeLater, createLambdaClient } from '../../adapters/aws/invoke-later.ts';
import { Invocations } from '../../local/runtime/invocations.ts';
import { openStore } from '../../local/store/open-store.ts';
import type { InvokeLater } from '../../ports/invoke-later.ts';
import type { FunctionHost } from '../support/aws/lambda/function-host.ts';
import { startLambdaServer } from '../support/aws/lambda/lambda-server.ts';
import { localAws } from '../support/aws/local-aws.ts';
import { fakeInvokeLater } from '../support/fake-invoke-later.ts';

const ending: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ending.splice(0)) await end();
});

/** Invocations under test. */
interface InvokeLaterUnderTest {
  invokeLater: InvokeLater<'clean-up'>;
  /** Resolves with the launches whose clean-up ran, once there are this many. */
  ran: (count: number) => Promise<readonly string[]>;
}

describe.each([
  ['memory', inMemory],
  ["davit's own process", inOwnProcess],
  ['Lambda', onLambda],
])('later invocations (%s)', (_name, make) => {
  test('a function that is to run later runs with its event', async () => {
    const { invokeLater, ran } = await make();

    await invokeLater('clean-up', { launchId: 'job-a' });

    expect(await ran(1)).toEqual(['job-a']);
  });

  test('an event that is sent twice may be handled twice, and no event is lost', async () => {
    const { invokeLater, ran } = await make();

    await Promise.all(['job-a', 'job-b', 'job-a'].map((launchId) => invokeLater('clean-up', { launchId })));

    expect(new Set(await ran(3))).toEqual(new Set(['job-a', 'job-b']));
  });
});

async function inMemory(): Promise<InvokeLaterUnderTest> {
  const invokeLater = fakeInvokeLater();
  return { invokeLater, ran: async () => invokeLater.events['clean-up'].map(({ launchId }) => launchId) };
}

async function inOwnProcess(): Promise<InvokeLaterUnderTest> {
  const { hear, ran } = makeListener();
  const invocations = new Invocations({
    store: openStore(':memory:'),
    invoke: async (_functionName, event) => hear(event),
    retryDelaysMs: [],
    onDropped: () => undefined,
    nowEpochMs: Date.now,
  });
  return { invokeLater: async (...invocation) => invocations.add(...invocation), ran };
}

async function onLambda(): Promise<InvokeLaterUnderTest> {
  const { hear, ran } = makeListener();
  const server = await startLambdaServer({ host: hostOf('clean-up', hear) });
  const client = createLambdaClient(localAws(server.url));
  ending.push(() => server.stop());
  return { invokeLater: createInvokeLater({ client, functionNames: { 'clean-up': 'clean-up' } }), ran };
}

/** Notes the launches of clean-ups that run. */
function makeListener() {
  const launchIds: string[] = [];
  const runs = new EventEmitter();
  return {
    hear: (event: unknown) => {
      launchIds.push(z.strictObject({ launchId: z.string() }).parse(event).launchId);
      runs.emit('run');
    },
    ran: async (count: number) => {
      while (launchIds.length < count) await once(runs, 'run');
      return launchIds;
    },
  };
}

async function nothing() {}

/** A host of one function, which only passes on its events. */
function hostOf(name: string, hear: (event: unknown) => void): FunctionHost {
  return {
    has: (functionName) => functionName === name,
    async invoke(_functionName, event) {
      hear(event);
      return { requestId: 'request', payload: null };
    },
    warm: nothing,
    killWorker: nothing,
    stop: nothing,
    [Symbol.asyncDispose]: nothing,
  };
}

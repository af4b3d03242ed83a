import { EventEmitter, once } from 'node:events';
import * as z from 'zod';
import { createInvokeLater, createLambdaClient } from '../../adapters/aws/invoke-later.ts';
import { Invocations } from '../../local/runtime/invocations.ts';
import { openStore } from '../../local/store/open-store.ts';
import type { FunctionHost } from '../support/aws/lambda/function-host.ts';
import { startLambdaServer } from '../support/aws/lambda/lambda-server.ts';
import { localAws } from '../support/aws/local-aws.ts';
import { fakeInvokeLater } from '../support/fake-invoke-later.ts';
import { describeInvokeLater } from './invoke-later.contract.ts';

const ending: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ending.splice(0)) await end();
});

describeInvokeLater('memory', async () => {
  const invokeLater = fakeInvokeLater();
  return { invokeLater, ran: async () => invokeLater.events['clean-up'].map(({ launchId }) => launchId) };
});

describeInvokeLater("davit's own process", async () => {
  const ran: string[] = [];
  const runs = new EventEmitter();
  const invocations = new Invocations({
    store: openStore(':memory:'),
    invoke: async (_functionName, event) => {
      ran.push(z.strictObject({ launchId: z.string() }).parse(event).launchId);
      runs.emit('run');
    },
    retryDelaysMs: [],
    onDropped: () => undefined,
    nowEpochMs: Date.now,
  });
  return {
    invokeLater: async (...invocation) => invocations.add(...invocation),
    async ran(count) {
      while (ran.length < count) await once(runs, 'run');
      return ran;
    },
  };
});

describeInvokeLater('Lambda', async () => {
  const ran: string[] = [];
  const runs = new EventEmitter();
  const host = hostOf('clean-up', (launchId) => {
    ran.push(launchId);
    runs.emit('run');
  });
  const server = await startLambdaServer({ host });
  const client = createLambdaClient(localAws(server.url));
  ending.push(() => server.stop());
  return {
    invokeLater: createInvokeLater({ client, functionNames: { 'clean-up': 'clean-up' } }),
    async ran(count) {
      while (ran.length < count) await once(runs, 'run');
      return ran;
    },
  };
});

async function nothing() {}

/** A host of one function that only records the launches of its invocations. */
function hostOf(name: string, run: (launchId: string) => void): FunctionHost {
  return {
    has: (functionName) => functionName === name,
    async invoke(_functionName, event) {
      run(z.strictObject({ launchId: z.string() }).parse(event).launchId);
      return { requestId: 'request', payload: null };
    },
    warm: nothing,
    killWorker: nothing,
    stop: nothing,
    [Symbol.asyncDispose]: nothing,
  };
}

import { EventEmitter, once } from 'node:events';
import * as z from 'zod';
import { createLambdaCleanUps, createLambdaClient } from '../../functions/adapters/aws/create-lambda-clean-ups.ts';
import type { FunctionHost } from '../../local/lambda/function-host.ts';
import { startLambdaServer } from '../../local/lambda/lambda-server.ts';
import { localAws } from '../../local/local-aws.ts';
import { FakeCleanUps } from '../support/fake-clean-ups.ts';
import { describeCleanUps } from './clean-ups.contract.ts';

const ending: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ending.splice(0)) await end();
});

describeCleanUps('memory', async () => {
  const cleanUps = new FakeCleanUps();
  return { cleanUps, ran: async () => cleanUps.requested };
});

describeCleanUps('Lambda', async () => {
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
    cleanUps: createLambdaCleanUps({ client, functionName: 'clean-up' }),
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

import { connect, type Socket } from 'node:net';
import { Worker } from 'node:worker_threads';
import { afterEach, expect, test } from '@jest/globals';
import * as z from 'zod';
import { ConnectionError, createHttpClient } from '../../../../functions/adapters/http-client.ts';

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end();
});

// Its thread sleeps after it has begun to listen: the kernel makes the connections that its queue has room for, and
// leaves any other without an answer.
const sleepingServer = `
  import { createServer } from 'node:net';
  import { parentPort } from 'node:worker_threads';
  const server = createServer().listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
    parentPort.postMessage(server.address().port);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  });`;

async function startSleepingServer(): Promise<number> {
  const worker = new Worker(new URL(`data:text/javascript,${encodeURIComponent(sleepingServer)}`));
  ends.push(() => worker.terminate());
  const { promise, resolve } = Promise.withResolvers<unknown>();
  worker.once('message', resolve);
  return z.number().parse(await promise);
}

test('a connection that is not made in time is given up before the answer is due', async () => {
  const port = await startSleepingServer();
  const filling = Array.from({ length: 4 }, (): Socket => connect(port, '127.0.0.1'));
  for (const socket of filling) ends.push(() => socket.on('error', () => socket.destroy()).destroy());
  const client = createHttpClient({ protocol: 'http:', connectMs: 50 });

  const answer = client.send(
    { method: 'GET', url: `http://127.0.0.1:${port}/`, headers: {} },
    AbortSignal.timeout(30_000),
  );

  await expect(answer).rejects.toThrow(ConnectionError);
  await expect(answer).rejects.toThrow('no connection within 50 ms');
});

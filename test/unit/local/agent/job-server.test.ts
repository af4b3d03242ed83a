import { createServer } from 'node:net';
import { text } from 'node:stream/consumers';
import { type JobServer, startJobServer } from '../../../../local/agent/job-server.ts';
import { dial } from '../../../../local/demo/dial.ts';
import { listen } from '../../../../local/loopback-server.ts';

const host = '127.0.0.1';
let port: number;
let server: JobServer;
beforeAll(async () => {
  const taken = createServer();
  ({ port } = await listen(taken, 0, host));
  await new Promise((resolve) => taken.close(resolve));
  server = await startJobServer({ host, port, jobKey: 'key of the CI server', log: () => {} });
});
afterAll(() => server.stop());

/** Sends a line to the agent. @returns the answer */
async function send(line: string): Promise<string> {
  const socket = await dial({ host, port }, 5000);
  socket.write(`${line}\n`);
  return await text(socket);
}

test('a step with the job key is run', async () => {
  const answer = await send('{"jobKey":"key of the CI server","run":["echo","built"]}');

  expect(answer).toBe('{"output":"built\\n"}\n{"exitCode":0}\n');
});

test.each([
  ['without a job key', '{"run":["echo","built"]}', '{"exitCode":2}\n'],
  ['with another job key', '{"jobKey":"a guess","run":["echo","built"]}', /not this agent's.*\n\{"exitCode":2\}\n$/],
  ['that is no JSON', 'echo built', '{"exitCode":2}\n'],
])('a step %s is not run', async (_what, line, expected) => {
  expect(await send(line)).toEqual(typeof expected === 'string' ? expected : expect.stringMatching(expected));
});

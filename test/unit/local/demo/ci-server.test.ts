import { once } from 'node:events';
import { createServer } from 'node:net';
import * as z from 'zod';
import { type CiServer, Registration, startCiServer } from '../../../../local/demo/ci-server.ts';

const token = {
  agentName: 'davit-x',
  launchId: 'x',
  host: '127.0.0.1',
  port: 1,
  tls: false,
  publishedAt: '2026-01-01T00:00:00.000Z',
  expiresAt: '2026-01-01T03:00:00.000Z',
};
const registration = Registration.parse({ agentName: 'davit-x', token, pendingAnswers: 3, jobKey: 'key' });

let ci: CiServer;
beforeAll(async () => {
  ci = await startCiServer();
});
afterAll(() => ci.stop());

async function register(body: string, { url } = ci): Promise<number> {
  const { status } = await fetch(`${url}/agents`, { method: 'POST', body });
  return status;
}

test('waiting for an agent succeeds whether it registers before or after the call', async () => {
  const waiting = ci.registrationOf('davit-x', new AbortController().signal);

  const status = await register(JSON.stringify(registration));

  expect(status).toBe(204);
  expect(await waiting).toEqual(registration);
  expect(await ci.registrationOf('davit-x', new AbortController().signal)).toEqual(registration);
});

test.each([
  ['nothing', ''],
  ['no JSON', '{'],
  [
    'a token that is not complete',
    JSON.stringify({ agentName: 'davit-y', token: { ...token, port: 0 }, pendingAnswers: 0, jobKey: 'key' }),
  ],
  ['more than 64 KiB', JSON.stringify({ agentName: 'a'.repeat(70_000) })],
])('%s is not a registration', async (_what, body) => {
  expect(await register(body)).toBe(400);
});

test('waiting for a missing agent ends with the signal, and names the agent', async () => {
  const signal = AbortSignal.abort();

  await expect(ci.registrationOf('davit-z', signal)).rejects.toThrow(
    'agent davit-z has not registered with the CI server',
  );
});

test('a dial that fails reports its error', async () => {
  const hasty = await startCiServer({ dialForMs: 200 });
  await register(JSON.stringify(registration), hasty);

  await expect(hasty.run(token, { run: ['true'] })).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  await hasty.stop();
});

test('an agent that is not yet reachable is dialled again', async () => {
  const agent = createServer((socket) => socket.resume().end('{"exitCode":0}\n'));
  await once(agent.listen(0, '127.0.0.1'), 'listening');
  const { port } = z.object({ port: z.int() }).parse(agent.address());
  await once(agent.close(), 'close');
  await register(JSON.stringify(registration));
  const running = ci.run({ ...token, port }, { run: ['true'] });

  agent.listen(port, '127.0.0.1');

  await expect(running).resolves.toEqual({ exitCode: 0, output: '' });
  await once(agent.close(), 'close');
});

test('accepts an agent before it answers the registration, and reports a refused agent to its waiting caller', async () => {
  const accepted: string[] = [];
  const strict = await startCiServer({
    accept: async ({ agentName }) => {
      if (agentName !== 'davit-x') throw new Error(`${agentName} is refused`);
      accepted.push(agentName);
    },
  });

  expect(await register(JSON.stringify(registration), strict)).toBe(204);
  expect(accepted).toEqual(['davit-x']);
  expect(await register(JSON.stringify({ ...registration, agentName: 'davit-y' }), strict)).toBe(400);
  await expect(strict.registrationOf('davit-y', new AbortController().signal)).rejects.toThrow('davit-y is refused');
  await strict.stop();
});

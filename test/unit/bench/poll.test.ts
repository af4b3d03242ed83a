import { createServer } from 'node:http';
import { listen } from '../../../local/loopback-server.ts';
import { pollAsAgents } from '../../prove/bench/answering/poll.ts';

async function poll(statuses: readonly number[]) {
  const credentials = new Set<string | undefined>();
  let asked = 0;
  const server = createServer(({ headers }, response) => {
    credentials.add(headers.authorization);
    response.writeHead(statuses[asked % statuses.length] ?? 0).end();
    asked += 1;
  });
  const { port } = await listen(server, 0, '127.0.0.1');
  try {
    const polled = await pollAsAgents({ url: `http://127.0.0.1:${port}/connect`, credential: 'c' }, 4, 900);
    return { polled, asked, credentials: [...credentials] };
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

test('each agent asks with its credential, and each 503 is an answer that took its time', async () => {
  const { polled, asked, credentials } = await poll([503]);

  expect(polled.latenciesMs).toHaveLength(asked);
  expect(asked).toBeGreaterThan(0);
  expect(polled.failures).toBe(0);
  expect(credentials).toEqual(['Bearer c']);
});

test('any other 5xx counts as a failure, and the agents continue', async () => {
  const { polled, asked } = await poll([500]);

  expect(polled).toEqual({ latenciesMs: [], failures: asked });
});

test('a 200 ends the polling with an error, because no agent should get one', async () => {
  await expect(poll([200])).rejects.toThrow('answered 200');
});

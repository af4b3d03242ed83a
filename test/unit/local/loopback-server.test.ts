import { networkInterfaces } from 'node:os';
import { startLoopbackServer } from '../../../local/loopback-server.ts';

const addresses = Object.values(networkInterfaces()).flatMap((all = []) => all.map(({ address }) => address));

test.each(['127.0.0.1', '::1'].filter((address) => addresses.includes(address)))(
  'a server at %s is reachable at its URL',
  async (host) => {
    await using server = await startLoopbackServer((_request, response) => response.end('here'), { host });

    const answer = await fetch(server.url);

    expect(await answer.text()).toBe('here');
  },
);

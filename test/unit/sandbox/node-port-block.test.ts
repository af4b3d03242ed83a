import { once } from 'node:events';
import { connect } from 'node:net';
import { reserveNodePorts } from '../../../sandbox/node-port-block.ts';

test('the port before a block hangs up on a client that sends data, and so the block can be released', async () => {
  const size = 3;
  const block = await reserveNodePorts(size);
  const [first = 0] = block.ports;
  const portBefore = first - ((first - 30_000) % (size + 1));

  const client = connect(portBefore, '127.0.0.1').on('error', () => {});
  const hungUp = once(client, 'close', { signal: AbortSignal.timeout(5000) });
  client.write('anybody here?');

  await expect(hungUp).resolves.toBeDefined();
  await expect(block.release()).resolves.toBeUndefined();
});

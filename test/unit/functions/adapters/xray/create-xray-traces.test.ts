import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { createXrayTraces, type XrayTracesDeps } from '../../../../../functions/adapters/xray/create-xray-traces.ts';

const sampled = 'Root=1-67891233-abcdef012345678912345678;Parent=463ac35c9f6413ad;Sampled=1';
const agent = { launchId: 'github-1-2-1', agentName: 'davit-github-1-2-1' };
const time = { fromEpochMs: 1_767_225_600_000, toEpochMs: 1_767_225_600_250 };

let daemon: Socket;
const datagrams: string[] = [];
beforeEach(async () => {
  datagrams.length = 0;
  daemon = createSocket('udp4');
  daemon.on('message', (message) => datagrams.push(message.toString()));
  daemon.bind(0, '127.0.0.1');
  await once(daemon, 'listening');
});
afterEach(async () => {
  daemon.close();
  await once(daemon, 'close');
});

function makeTraces(overrides: Partial<XrayTracesDeps> = {}) {
  const warned: string[] = [];
  const traces = createXrayTraces({
    daemonAddress: `127.0.0.1:${daemon.address().port}`,
    launchTraceHeader: async () => sampled,
    requestTraceHeader: () => 'Root=1-77777777-abcdef012345678912345678;Parent=1111111111111111;Sampled=0',
    log: { warn: (message, error) => void warned.push(`${message}: ${error.message}`) },
    ...overrides,
  });
  return { traces, warned };
}

/** What the daemon has been sent before this: datagrams of one machine come in their order. */
async function received(): Promise<string[]> {
  const marker = createSocket('udp4');
  const arrived = new Promise<void>((resolve) => {
    daemon.on('message', (message) => message.toString() === 'end' && resolve());
  });
  marker.send('end', daemon.address().port, '127.0.0.1');
  await arrived;
  marker.close();
  return datagrams.filter((datagram) => datagram !== 'end');
}

test('the connect is a segment of its launch’s trace, and names its own', async () => {
  const { traces, warned } = makeTraces();

  await traces.agentConnected(agent, time);

  const [datagram = ''] = await received();
  const [header = '', segment = ''] = datagram.split('\n');
  expect(JSON.parse(header)).toEqual({ format: 'json', version: 1 });
  expect(JSON.parse(segment)).toEqual({
    name: 'davit agent connects',
    id: expect.stringMatching(/^[0-9a-f]{16}$/),
    trace_id: '1-67891233-abcdef012345678912345678',
    parent_id: '463ac35c9f6413ad',
    start_time: 1_767_225_600,
    end_time: 1_767_225_600.25,
    annotations: { ...agent, connectTraceId: '1-77777777-abcdef012345678912345678' },
  });
  expect(warned).toEqual([]);
});

describe('nothing is sent', () => {
  test.each([
    ['of a launch that was not traced', undefined],
    ['of a launch that was not sampled', sampled.replace('Sampled=1', 'Sampled=0')],
    ['of a launch whose header is none', 'Root=../../etc/passwd;Sampled=1'],
  ])('%s', async (_which, header) => {
    const { traces, warned } = makeTraces({ launchTraceHeader: async () => header });

    await traces.agentConnected(agent, time);

    expect(await received()).toEqual([]);
    expect(warned).toEqual([]);
  });

  test('and that is logged, when the launch cannot be read', async () => {
    const { traces, warned } = makeTraces({
      launchTraceHeader: async () => {
        throw new Error('DynamoDB GetItem: throttled');
      },
    });

    await traces.agentConnected(agent, time);

    expect(await received()).toEqual([]);
    expect(warned).toEqual(['a segment was not sent: DynamoDB GetItem: throttled']);
  });

  test('and that is logged, when the daemon has no address', async () => {
    const { traces, warned } = makeTraces({ daemonAddress: '127.0.0.1:99999' });

    await traces.agentConnected(agent, time);

    expect(warned).toEqual([expect.stringMatching(/^a segment was not sent: .*99999/)]);
  });
});

test('a connect that begins a trace has no parent', async () => {
  const { traces } = makeTraces({
    launchTraceHeader: async () => 'Root=1-67891233-abcdef012345678912345678;Sampled=1',
    requestTraceHeader: () => undefined,
  });

  await traces.agentConnected(agent, time);

  const [datagram = ''] = await received();
  const segment = JSON.parse(datagram.split('\n')[1] ?? '');
  expect(segment).not.toHaveProperty('parent_id');
  expect(segment.annotations).toEqual(agent);
});

import { createXrayTraces, type XrayTracesDeps } from '../../../../adapters/xray/create-xray-traces.ts';
import { segmentIn, startXrayDaemon, type XrayDaemon } from '../../../support/start-xray-daemon.ts';

const sampled = 'Root=1-67891233-abcdef012345678912345678;Parent=463ac35c9f6413ad;Sampled=1';
const agent = { launchId: 'github-1-2-1', agentName: 'davit-github-1-2-1' };
const traced = { ...agent, traceHeader: sampled };
const time = { fromEpochMs: 1_767_225_600_000, toEpochMs: 1_767_225_600_250 };

let daemon: XrayDaemon;
beforeEach(async () => {
  daemon = await startXrayDaemon();
});
afterEach(async () => {
  await daemon[Symbol.asyncDispose]();
});

function makeTraces(overrides: Partial<XrayTracesDeps> = {}) {
  const warned: string[] = [];
  const traces = createXrayTraces({
    daemonAddress: daemon.address,
    requestTraceHeader: () => 'Root=1-77777777-abcdef012345678912345678;Parent=1111111111111111;Sampled=0',
    log: { warn: (message, error) => void warned.push(`${message}: ${error.message}`) },
    ...overrides,
  });
  return { traces, warned };
}

test("the connect is a segment of its launch's trace, and names its own", async () => {
  const { traces, warned } = makeTraces();

  await traces.agentConnected(traced, time);

  const [datagram = ''] = await daemon.received();
  expect(datagram.split('\n')[0]).toBe('{"format":"json","version":1}');
  expect(segmentIn(datagram)).toEqual({
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
    ['for an untraced launch', {}],
    ['for an unsampled launch', { traceHeader: sampled.replace('Sampled=1', 'Sampled=0') }],
    ['for a launch with an invalid header', { traceHeader: 'Root=../../etc/passwd;Sampled=1' }],
  ])('%s', async (_which, header) => {
    const { traces, warned } = makeTraces();

    await traces.agentConnected({ ...agent, ...header }, time);

    expect(await daemon.received()).toEqual([]);
    expect(warned).toEqual([]);
  });

  test('without an address of the daemon, and that is logged', async () => {
    const { traces, warned } = makeTraces({ daemonAddress: '127.0.0.1:99999' });

    await traces.agentConnected(traced, time);

    expect(warned).toEqual([expect.stringMatching(/^a segment was not sent: .*99999/)]);
  });
});

test('a connect that begins a trace has no parent', async () => {
  const { traces } = makeTraces({ requestTraceHeader: () => undefined });
  const traceHeader = 'Root=1-67891233-abcdef012345678912345678;Sampled=1';

  await traces.agentConnected({ ...agent, traceHeader }, time);

  const [datagram = ''] = await daemon.received();
  const segment = segmentIn(datagram);
  expect(segment).not.toHaveProperty('parent_id');
  expect(segment).toMatchObject({ trace_id: '1-67891233-abcdef012345678912345678', annotations: agent });
});

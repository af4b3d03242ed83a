import { mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { type EventBridgeServer, startEventBridgeServer } from '../../../support/aws/eventbridge/eventbridge-server.ts';

let directory: string;
let server: EventBridgeServer;
let client: EventBridgeClient;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'davit-events-'));
  server = await startEventBridgeServer({ directory, nowEpochMs: () => 1_767_225_600_000 });
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
  client = new EventBridgeClient({ endpoint: server.url, region: 'us-east-1', credentials, maxAttempts: 1 });
});
afterEach(async () => {
  client.destroy();
  await server.stop();
});

const good = { Source: 'davit.launch', DetailType: 'LaunchFailed', Detail: '{"launchId":"job"}' };

function put(...Entries: object[]) {
  return client.send(new PutEventsCommand({ Entries }));
}

test('keeps events in order, passes them to listeners, and writes them to a file', async () => {
  const heard: string[] = [];
  server.onEvent((event) => heard.push(event['detail-type']));

  const answer = await put(good, { ...good, DetailType: 'LaunchCleaned', Time: new Date('2026-01-02T03:04:05Z') });

  expect(answer.FailedEntryCount).toBe(0);
  expect(server.events.map(({ id }) => id)).toEqual(answer.Entries?.map(({ EventId }) => EventId));
  expect(server.events).toMatchObject([
    { 'detail-type': 'LaunchFailed', time: '2026-01-01T00:00:00.000Z', detail: { launchId: 'job' } },
    { 'detail-type': 'LaunchCleaned', time: '2026-01-02T03:04:05.000Z' },
  ]);
  expect(heard).toEqual(['LaunchFailed', 'LaunchCleaned']);
  const written = (await readFile(join(directory, 'events-sent.jsonl'), 'utf8')).trim().split('\n');
  expect(written.map((line) => JSON.parse(line))).toEqual(server.events.map((event) => ({ ...event })));
});

test('a removed listener receives nothing more', async () => {
  const heard: string[] = [];
  const stop = server.onEvent((event) => heard.push(event['detail-type']));
  await put(good);
  stop();

  await put(good);

  expect(heard).toEqual(['LaunchFailed']);
});

test('an invalid entry is refused alone', async () => {
  const answer = await put({ ...good, Detail: 'not JSON' }, { ...good, Detail: '[1]' }, { Detail: '{}' }, good);

  expect(answer.FailedEntryCount).toBe(3);
  expect(answer.Entries?.map(({ ErrorCode }) => ErrorCode)).toEqual([
    'MalformedDetail',
    'MalformedDetail',
    'InvalidArgument',
    undefined,
  ]);
  expect(server.events).toHaveLength(1);
});

test('the last hundred events are kept in memory', async () => {
  for (let batch = 0; batch < 11; batch += 1) {
    await put(...Array.from({ length: 10 }, (_, number) => ({ ...good, Detail: `{"number":${batch * 10 + number}}` })));
  }

  expect(server.events.map(({ detail }) => detail['number'])).toEqual(Array.from({ length: 100 }, (_, n) => n + 10));
});

test('the bus also answers to its ARN', async () => {
  const { Entries } = await put({ ...good, EventBusName: 'arn:aws:events:us-east-1:000000000000:event-bus/default' });

  expect(Entries).toEqual([{ EventId: expect.any(String) }]);
});

test('an unknown bus is a ResourceNotFoundException', async () => {
  await expect(put({ ...good, EventBusName: 'another' })).rejects.toMatchObject({ name: 'ResourceNotFoundException' });
});

test('more than ten entries are refused together', async () => {
  await expect(put(...Array.from({ length: 11 }, () => good))).rejects.toMatchObject({ name: 'ValidationException' });
  expect(server.events).toEqual([]);
});

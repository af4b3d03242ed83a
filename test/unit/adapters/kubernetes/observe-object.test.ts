import { once } from 'node:events';
import type { PodView } from '../../../../core/pod/kubernetes-objects.ts';
import type { ObserveOptions } from '../../../../ports/cluster.ts';
import { type Answer, event, json, refusal, watch } from '../../../support/fake-api-server.ts';
import { clusterAt, podJson, serverOfEachTest } from './fixtures.ts';

const server = serverOfEachTest();

const phaseOf = (pod: PodView | undefined) => pod?.status?.phase;
const modified = (version: string, phase: string) => event('MODIFIED', podJson(version, { phase }));
const tooOld = {
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  status: 'Failure',
  message: 'too old resource version: 7 (9)',
  reason: 'Expired',
  code: 410,
};

/** Observes until this many states were seen, and returns their phases. */
async function phases(
  count: number,
  { patience = {}, ...options }: Partial<ObserveOptions> & { patience?: { silenceMs?: number } } = {},
): Promise<(string | undefined)[]> {
  const { pods } = await clusterAt(server.url, patience);
  const seen: (string | undefined)[] = [];
  for await (const pod of pods.observe('agents', 'davit-x', { forMs: 60_000, ...options })) {
    seen.push(phaseOf(pod));
    if (seen.length === count) break;
  }
  return seen;
}

const read = (version: string, phase: string): Answer => json(200, podJson(version, { phase }));

test('the object is read, and then watched from that version', async () => {
  server.answer(read('7', 'Pending'), watch([modified('8', 'Pending'), modified('9', 'Running')]));

  expect(await phases(3)).toEqual(['Pending', 'Pending', 'Running']);
  expect(server.requests.map(({ path }) => path)).toEqual([
    '/api/v1/namespaces/agents/pods/davit-x',
    '/api/v1/namespaces/agents/pods',
  ]);
  expect(Object.fromEntries(server.requests[1]?.query ?? [])).toEqual({
    watch: 'true',
    fieldSelector: 'metadata.name=davit-x',
    resourceVersion: '7',
    allowWatchBookmarks: 'true',
  });
  expect(server.requests[1]?.authorization).toBe('Bearer secret-token');
});

test('with a start version, the object is not read first', async () => {
  server.answer(watch([modified('8', 'Running')]));

  expect(await phases(1, { since: '7' })).toEqual(['Running']);
  expect(server.requests).toHaveLength(1);
  expect(server.requests[0]?.query.get('resourceVersion')).toBe('7');
});

test('bookmarks are not reported', async () => {
  const bookmark = event('BOOKMARK', { kind: 'Pod', apiVersion: 'v1', metadata: { resourceVersion: '12' } });
  server.answer(read('7', 'Pending'), watch([bookmark, bookmark, modified('13', 'Running')]));

  expect(await phases(2)).toEqual(['Pending', 'Running']);
});

describe('the object is read once and watched from there', () => {
  const line = modified('8', 'Pending');
  const broken: { fact: string; answer: Answer }[] = [
    { fact: 'closes', answer: watch([line], 'closed') },
    { fact: 'is cut', answer: watch([line], 'cut') },
    { fact: 'is cut in the middle of a line', answer: watch([line, modified('9', 'Lost').slice(0, 40)], 'cut') },
    { fact: 'closes in the middle of a line', answer: watch([line, modified('9', 'Lost').slice(0, 40)], 'closed') },
    { fact: 'sends a line that is not JSON', answer: watch([line, '{"type":"MODI\n']) },
    { fact: 'reports 410 Gone', answer: watch([line, event('ERROR', tooOld)]) },
    { fact: 'reports another error', answer: watch([line, event('ERROR', { ...tooOld, code: 500 })]) },
  ];

  test.each(broken)('after a watch that $fact', async ({ answer }) => {
    server.answer(read('7', 'Pending'), answer, read('20', 'Running'), watch([modified('21', 'Succeeded')]));

    expect(await phases(4)).toEqual(['Pending', 'Pending', 'Running', 'Succeeded']);
    expect(server.requests.map(({ query }) => query.get('resourceVersion'))).toEqual([null, '7', null, '20']);
  });

  test('after a watch that goes silent', async () => {
    server.answer(read('7', 'Pending'), watch([line]), read('20', 'Running'), watch([]));

    expect(await phases(3, { patience: { silenceMs: 50 } })).toEqual(['Pending', 'Pending', 'Running']);
  });

  test('after a watch that gets no answer', async () => {
    server.answer(read('7', 'Pending'), () => undefined, read('20', 'Running'));

    expect(await phases(2, { patience: { silenceMs: 50 } })).toEqual(['Pending', 'Running']);
  });

  test('when the version to start from is too old', async () => {
    server.answer(refusal(410, 'Expired', 'too old resource version: 1 (9)'), read('20', 'Running'));

    expect(await phases(1, { since: '1' })).toEqual(['Running']);
  });
});

test('multi-byte characters that are split between chunks stay whole', async () => {
  const detail = 'Zürich – 画像 🛥 ist nicht verfügbar';
  const bytes = Buffer.from(event('MODIFIED', podJson('8', { phase: 'Pending', message: detail })));
  const singly = Array.from(bytes, (byte) => Uint8Array.of(byte));
  server.answer(read('7', 'Pending'), watch(singly));
  const { pods } = await clusterAt(server.url);

  const messages: unknown[] = [];
  for await (const pod of pods.observe('agents', 'davit-x', { forMs: 60_000 })) {
    messages.push(pod?.status?.message);
    if (messages.length === 2) break;
  }

  expect(messages).toEqual([undefined, detail]);
});

/** A watch that sends an event every 300 ms. */
const keepTalking: Answer = (response, request) => {
  watch([])(response, request);
  const timer = setInterval(() => response.write(modified('8', 'Pending')), 300);
  response.on('close', () => clearInterval(timer));
};

test('a watch with an occasional event is not silent, however long it lasts', async () => {
  server.answer(read('7', 'Pending'), keepTalking);

  await phases(5, { patience: { silenceMs: 900 } });

  expect(server.requests).toHaveLength(2);
});

test('several changes in one chunk are all seen, in order', async () => {
  const chunk = ['A', 'B', 'C'].map((phase, index) => modified(String(8 + index), phase)).join('');
  server.answer(read('7', 'Pending'), watch([chunk]));

  expect(await phases(4)).toEqual(['Pending', 'A', 'B', 'C']);
});

describe('the observation ends quietly', () => {
  test('after one look, when its time is zero', async () => {
    server.answer(read('7', 'Pending'), watch([]));

    expect(await phases(9, { forMs: 0 })).toEqual(['Pending']);
  });

  test('when its signal is aborted, and the stream is closed', async () => {
    const over = new AbortController();
    const { promise: streamClosed, resolve } = Promise.withResolvers<void>();
    server.answer(read('7', 'Pending'), (response, request) => {
      watch([])(response, request);
      void once(response, 'close').then(() => resolve());
      over.abort();
    });

    expect(await phases(9, { signal: over.signal })).toEqual(['Pending']);
    await streamClosed;
  });

  test('when its reader stops, and the stream is closed', async () => {
    const { promise: streamClosed, resolve } = Promise.withResolvers<void>();
    server.answer(read('7', 'Pending'), (response, request) => {
      watch([modified('8', 'Running')])(response, request);
      void once(response, 'close').then(() => resolve());
    });

    expect(await phases(2)).toEqual(['Pending', 'Running']);
    await streamClosed;
  });
});

describe('the observation fails', () => {
  test('when a watch is refused', async () => {
    const detail =
      'pods is forbidden: User "davit" cannot watch resource "pods" in API group "" in the namespace "agents"';
    server.answer(read('7', 'Pending'), refusal(403, 'Forbidden', detail));

    await expect(phases(9)).rejects.toMatchObject({
      name: 'TerminalError',
      code: 'ClusterForbidden',
      message: `ClusterForbidden: watch pods at ${server.url}: HTTP 403: ${detail}; asked again once the API server was ready (cluster test, namespace agents, pod davit-x)`,
    });
  });

  test('when the server throttles a watch', async () => {
    server.answer(read('7', 'Pending'), refusal(429, 'TooManyRequests', 'slow down', { 'retry-after': '1' }));

    await expect(phases(9)).rejects.toMatchObject({ name: 'TransientError', code: 'ClusterThrottled' });
  });

  test('when the read after a broken watch fails', async () => {
    server.answer(read('7', 'Pending'), watch([], 'cut'), refusal(500, 'InternalError', 'etcdserver: leader changed'));

    await expect(phases(9)).rejects.toMatchObject({
      name: 'TransientError',
      code: 'ClusterFault',
      message: expect.stringContaining('get pods at'),
    });
  });

  test('when a watch brings a line that is not an event', async () => {
    server.answer(read('7', 'Pending'), watch([event('RENAMED', podJson('8'))]));

    await expect(phases(9)).rejects.toMatchObject({ name: '$ZodError' });
  });
});

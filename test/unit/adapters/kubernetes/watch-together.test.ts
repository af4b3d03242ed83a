import type { PodView } from '../../../../core/pod/kubernetes-objects.ts';
import type { Cluster } from '../../../../ports/cluster.ts';
import { eventually } from '../../../support/eventually.ts';
import { type Answer, event, json, refusal, watch } from '../../../support/fake-api-server.ts';
import { clusterAt, podJson, serverOfEachTest } from './fixtures.ts';

const server = serverOfEachTest();
let over: AbortController;
let cluster: Cluster;
/** The answers to reads, by the Pod's name. @default 404 */
let pods: Map<string, object>;
/** The answers to watches, in order; the last one repeats. */
let watches: Answer[];

beforeEach(async () => {
  [over, pods, watches] = [new AbortController(), new Map(), []];
  cluster = await clusterAt(server.url, {}, over.signal);
  server.answer((response, request) => {
    const name = request.path.split('/pods/')[1];
    const found = name === undefined ? undefined : pods.get(name);
    if (request.query.has('watch')) (watches.length > 1 ? watches.shift() : watches[0])?.(response, request);
    else if (found === undefined) refusal(404, 'NotFound', 'not found')(response, request);
    else json(200, found)(response, request);
  });
});
afterEach(() => over.abort());

function pod(name: string, version: string, phase: string) {
  const { metadata, ...rest } = podJson(version, { phase });
  return { ...rest, metadata: { ...metadata, name, uid: `uid of ${name}` } };
}

/** Observes a Pod from a version on until this many states were seen. @returns their phases */
async function phases(name: string, since: string, count: number): Promise<(string | undefined)[]> {
  const seen: (PodView | undefined)[] = [];
  for await (const view of cluster.pods.observe('agents', name, { since, forMs: 60_000 })) {
    seen.push(view);
    if (seen.length === count) break;
  }
  return seen.map((view) => view?.status?.phase);
}

const watched = () => server.requests.filter(({ query }) => query.has('watch'));

/** A watch whose events the test sends when it wants. */
function openWatch(): { answer: Answer; send: (...lines: string[]) => void; end: () => void } {
  const response = Promise.withResolvers<Parameters<Answer>[0]>();
  return {
    answer: (given) => {
      given.writeHead(200, { 'content-type': 'application/json' }).flushHeaders();
      response.resolve(given);
    },
    send: (...lines) => void response.promise.then((given) => given.write(lines.join(''))),
    end: () => void response.promise.then((given) => given.end()),
  };
}

test('two Pods are observed by one watch of those with the label of a launch', async () => {
  const { answer, send } = openWatch();
  watches = [answer];
  const both = Promise.all([phases('davit-a', '7', 1), phases('davit-b', '8', 2)]);

  send(event('MODIFIED', pod('davit-b', '9', 'Pending')), event('MODIFIED', pod('davit-a', '10', 'Running')));
  send(event('BOOKMARK', pod('', '11', '')), event('MODIFIED', pod('davit-b', '12', 'Running')));

  expect(await both).toEqual([['Running'], ['Pending', 'Running']]);
  expect(watched()).toHaveLength(1);
  expect(Object.fromEntries(watched()[0]?.query ?? [])).toEqual({
    watch: 'true',
    labelSelector: 'davit.dev/launch-id',
    resourceVersion: '7',
    allowWatchBookmarks: 'true',
  });
});

test('one who comes later hears what happened since it saw the Pod, and nothing older', async () => {
  const { answer, send } = openWatch();
  watches = [answer];
  const first = phases('davit-a', '7', 1);
  send(event('ADDED', pod('davit-b', '8', 'Unknown')), event('MODIFIED', pod('davit-b', '9', 'Running')));
  send(event('MODIFIED', pod('davit-a', '10', 'Running')));
  await first;

  expect(await phases('davit-b', '8', 1)).toEqual(['Running']);
  expect(watched()).toHaveLength(1);
});

test('one who saw the Pod before the watch began watches alone', async () => {
  const { answer } = openWatch();
  watches = [answer, watch([event('MODIFIED', pod('davit-b', '9', 'Failed'))])];
  void phases('davit-a', '10', 1).catch(() => {});
  await eventually(() => expect(watched()).toHaveLength(1));

  expect(await phases('davit-b', '8', 1)).toEqual(['Failed']);
  expect(watched()[1]?.query.get('fieldSelector')).toBe('metadata.name=davit-b');
});

test('so does one who saw it before the oldest change that the watch has kept', async () => {
  const { answer, send } = openWatch();
  watches = [answer, watch([event('MODIFIED', pod('davit-b', '109', 'Failed'))])];
  const first = phases('davit-a', '100', 1);
  for (let version = 101; version <= 400; version += 1)
    send(event('MODIFIED', pod('davit-c', `${version}`, 'Pending')));
  send(event('MODIFIED', pod('davit-a', '401', 'Running')));
  await first;

  expect(await phases('davit-b', '108', 1)).toEqual(['Failed']);
  expect(watched()).toHaveLength(2);
});

test('a version with more digits is the later one', async () => {
  const { answer, send } = openWatch();
  watches = [answer];
  const both = Promise.all([phases('davit-a', '99', 1), phases('davit-b', '100', 1)]);

  send(event('MODIFIED', pod('davit-b', '100', 'Unknown')), event('MODIFIED', pod('davit-b', '101', 'Running')));
  send(event('MODIFIED', pod('davit-a', '102', 'Running')));

  expect(await both).toEqual([['Running'], ['Running']]);
});

test('a deleted Pod is gone, and one that was being deleted is not even read', async () => {
  const { metadata, ...rest } = pod('davit-b', '10', 'Running');
  const terminating = { ...rest, metadata: { ...metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } };
  watches = [watch([event('DELETED', pod('davit-a', '9', 'Running')), event('DELETED', terminating)])];

  expect(await Promise.all([phases('davit-a', '7', 9), phases('davit-b', '8', 9)])).toEqual([[undefined], [undefined]]);
  expect(server.requests.filter(({ query }) => !query.has('watch')).map(({ path }) => path)).toEqual([
    '/api/v1/namespaces/agents/pods/davit-a',
  ]);
});

test('a Pod of the same name that is made again is another one', async () => {
  pods.set('davit-a', { ...podJson('11', { phase: 'Pending' }) });
  watches = [watch([event('DELETED', pod('davit-a', '9', 'Running'))])];

  expect(await phases('davit-a', '7', 9)).toEqual([undefined]);
});

test('a Pod that has only lost its label is not gone', async () => {
  pods.set('davit-a', pod('davit-a', '9', 'Running'));
  watches = [watch([event('DELETED', pod('davit-a', '9', 'Pending'))])];

  expect(await phases('davit-a', '7', 1)).toEqual(['Running']);
});

test('when the watch ends, each who observes reads its Pod', async () => {
  const { answer, end } = openWatch();
  watches = [answer, openWatch().answer];
  pods.set('davit-a', pod('davit-a', '9', 'Running')).set('davit-b', pod('davit-b', '10', 'Failed'));
  const both = Promise.all([phases('davit-a', '7', 1), phases('davit-b', '8', 1)]);
  end();

  expect(await both).toEqual([['Running'], ['Failed']]);
});

test('a refused watch fails for each who observes, and the next one asks again', async () => {
  watches = [refusal(429, 'TooManyRequests', 'slow down', { 'retry-after': '60' }), openWatch().answer];
  const throttled = { name: 'TransientError', code: 'ClusterThrottled' };

  const both = await Promise.allSettled([phases('davit-a', '7', 1), phases('davit-b', '8', 1)]);
  void phases('davit-a', '7', 1).catch(() => {});

  expect(both.map((each) => each.status === 'rejected' && each.reason)).toMatchObject([throttled, throttled]);
  await eventually(() => expect(watched()).toHaveLength(2));
});

test('an observation ends when its time is up, and the others go on', async () => {
  const { answer, send } = openWatch();
  watches = [answer];
  const other = phases('davit-b', '8', 1);
  const seen: unknown[] = [];
  for await (const view of cluster.pods.observe('agents', 'davit-a', { since: '9', forMs: 50 })) seen.push(view);
  send(event('MODIFIED', pod('davit-b', '10', 'Running')));

  expect(seen).toEqual([]);
  expect(await other).toEqual(['Running']);
});

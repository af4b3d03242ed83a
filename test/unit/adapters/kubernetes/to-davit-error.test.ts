import type { Cluster } from '../../../../ports/cluster.ts';
import { type Answer, json, refusal } from '../../../support/fake-api-server.ts';
import { freePort } from '../../../support/free-port.ts';
import { clusterAt, podJson, podManifest, serverOfEachTest } from './fixtures.ts';

const server = serverOfEachTest();

const forbidden = 'pods is forbidden: User "davit" cannot create resource "pods"';
const rangeFull = 'Internal error occurred: failed to allocate a nodePort: range is full';
const overQuota = 'pods "davit-x" is forbidden: exceeded quota: agents';
const invalid = 'Pod "davit-x" is invalid: spec.containers: Required value';
const page: Answer = (response) =>
  void response.writeHead(502, { 'content-type': 'text/html' }).end('<h1>Bad Gateway</h1>');
const halfAnswer: Answer = (response) => {
  response.writeHead(201, { 'content-type': 'application/json', 'content-length': '100' });
  response.write('{"kind":', () => response.destroy());
};
const throttled = refusal(429, 'TooManyRequests', 'slow down', { 'retry-after': '0' });
const unavailable = (words: string, retryAfter: string) =>
  refusal(503, 'ServiceUnavailable', words, { 'retry-after': retryAfter });

test.each<[detail: string, name: string, code: string, answer: Answer]>([
  [`HTTP 500: ${rangeFull}`, 'PendingError', 'NodePortRangeFull', refusal(500, 'InternalError', rangeFull)],
  [`HTTP 403: ${overQuota}`, 'PendingError', 'QuotaExceeded', refusal(403, 'Forbidden', overQuota)],
  [`HTTP 403: ${forbidden}`, 'TerminalError', 'ClusterForbidden', refusal(403, 'Forbidden', forbidden)],
  [
    'HTTP 401: Unauthorized; authenticated by a bearer token',
    'TerminalError',
    'ClusterUnauthorized',
    refusal(401, 'Unauthorized', 'Unauthorized'),
  ],
  [`HTTP 422: ${invalid}`, 'TerminalError', 'ObjectInvalid', refusal(422, 'Invalid', invalid)],
  ['HTTP 429: slow down; Retry-After: 0 s', 'TransientError', 'ClusterThrottled', throttled],
  [
    'HTTP 503: shutting down; Retry-After: 6 s',
    'TransientError',
    'ClusterThrottled',
    unavailable('shutting down', '6'),
  ],
  ['HTTP 503: none', 'TransientError', 'ClusterFault', unavailable('none', 'Fri, 01 Jan 2027 00:00:00 GMT')],
  ['HTTP 503: no leader', 'TransientError', 'ClusterFault', unavailable('no leader', '-1')],
  ['HTTP 502: Bad Gateway', 'TransientError', 'ClusterFault', page],
  ['HTTP 500: Internal Server Error', 'TransientError', 'ClusterFault', json(500, { message: ['no', 'text'] })],
  ['UND_ERR_SOCKET other side closed', 'TransientError', 'ClusterUnreachable', (response) => void response.destroy()],
  ['UND_ERR_SOCKET other side closed', 'TransientError', 'ClusterUnreachable', halfAnswer],
  [
    'the answer is JSON of another shape',
    'TransientError',
    'ClusterFault',
    json(201, { metadata: { ownerReferences: { secret: 'secret-token' } } }),
  ],
])("'%s' is a %s %s that says what was tried, where, and on which object", async (detail, name, code, answer) => {
  server.answer(answer);
  const { pods } = await clusterAt(server.url);

  const error = await pods.create(podManifest).catch((thrown: unknown) => thrown);

  expect(error).toMatchObject({ name, code, subject: { cluster: 'test', pod: 'davit-x' } });
  expect(error).toHaveProperty('message', expect.stringContaining(detail));
  expect(error).toHaveProperty('message', expect.stringContaining(`create pods at ${server.url}: `));
  expect(error).not.toHaveProperty('message', expect.stringContaining('secret-token'));
});

test('a server that does not answer is unreachable', async () => {
  server.answer(() => undefined);
  const { services } = await clusterAt(server.url, { callMs: 50 });

  await expect(services.get('agents', 'davit-x')).rejects.toMatchObject({
    name: 'TransientError',
    code: 'ClusterUnreachable',
    message: `ClusterUnreachable: get services at ${server.url}: no answer in time (cluster test, namespace agents, service davit-x)`,
  });
});

test('a server that does not finish its answer is unreachable', async () => {
  server.answer((response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.write('{"kind":');
  });
  const { pods } = await clusterAt(server.url, { callMs: 50 });

  await expect(pods.get('agents', 'davit-x')).rejects.toThrow('no answer in time');
});

test('a port without a listener is unreachable', async () => {
  const { pods } = await clusterAt(`http://127.0.0.1:${await freePort('127.0.0.1')}`);

  await expect(pods.delete('agents', 'davit-x', 'pod-uid-1')).rejects.toMatchObject({
    name: 'TransientError',
    code: 'ClusterUnreachable',
    message: expect.stringContaining('ECONNREFUSED'),
  });
});

describe('an answer that is not an object', () => {
  test.each([
    { fact: 'a page', type: 'application/json', body: '<html>hunter2</html>' },
    { fact: 'half an answer', type: 'application/json', body: '{"kind": "hunter2' },
    { fact: 'nothing', type: 'application/json', body: '' },
    { fact: 'of another type', type: 'application/cbor', body: 'hunter2' },
    { fact: 'the page of a proxy', type: 'text/html; charset=utf-8', body: '<html>hunter2</html>' },
  ])("is a server's fault when it is $fact, and is not quoted", async ({ type, body }) => {
    server.answer((response) => response.writeHead(200, { 'content-type': type }).end(body));
    const { pods } = await clusterAt(server.url);

    await expect(pods.get('agents', 'davit-x')).rejects.toMatchObject({
      name: 'TransientError',
      code: 'ClusterFault',
      message: `ClusterFault: get pods at ${server.url}: the answer cannot be read as JSON (cluster test, namespace agents, pod davit-x)`,
    });
  });

  test('is accepted when only fields that davit ignores are nested too deeply', async () => {
    const { metadata, ...rest } = podJson('7');
    const deep = JSON.stringify({ ...rest, metadata: { ...metadata, managedFields: 'deep' } });
    const body = deep.replace('"deep"', `${'['.repeat(50_000)}${']'.repeat(50_000)}`);
    server.answer((response) => response.writeHead(200, { 'content-type': 'application/json' }).end(body));
    const { pods } = await clusterAt(server.url);

    expect((await pods.get('agents', 'davit-x'))?.metadata.uid).toBe('pod-uid-1');
  });

  test("is a defect when a field has the wrong type, and passes as the schema's own error", async () => {
    const { metadata, ...rest } = podJson('7');
    server.answer(json(200, { ...rest, metadata: { ...metadata, uid: 7 } }));
    const { pods } = await clusterAt(server.url);

    await expect(pods.get('agents', 'davit-x')).rejects.toMatchObject({ name: '$ZodError' });
  });
});

describe("a 404 that is not the API server's", () => {
  const notFoundPage: Answer = (response) =>
    response.writeHead(404, { 'content-type': 'text/html' }).end('<h1>404</h1>');
  const fault = {
    name: 'TransientError',
    code: 'ClusterFault',
    message: expect.stringContaining('HTTP 404: Not Found'),
  };

  test.each<[string, (cluster: Cluster) => Promise<unknown>]>([
    ['a Pod', ({ pods }) => pods.get('agents', 'davit-x')],
    ['a Service', ({ services }) => services.get('agents', 'davit-x')],
    ['a Node', ({ nodes }) => nodes.get('node-1')],
    ['a list of Pods', ({ pods }) => pods.list('agents', {})],
    ['a deletion', ({ pods }) => pods.delete('agents', 'davit-x', 'pod-uid-1')],
    ['a create', ({ pods }) => pods.create(podManifest)],
  ])('does not say that %s is missing', async (_what, call) => {
    server.answer(notFoundPage);

    await expect(call(await clusterAt(server.url))).rejects.toMatchObject(fault);
  });
});

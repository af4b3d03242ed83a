import { json, refusal, type SeenRequest } from '../../../support/fake-api-server.ts';
import { clusterAt, podJson, serverOfEachTest } from './fixtures.ts';

const server = serverOfEachTest();

const labels = { 'davit.dev/launch-id': 'github-1-2-1', 'davit.dev/agent-name': 'davit-github-1-2-1' };
const labelSelector = 'davit.dev/launch-id=github-1-2-1,davit.dev/agent-name=davit-github-1-2-1';

function labelled(pod: ReturnType<typeof podJson>, given: object = labels) {
  return { ...pod, metadata: { ...pod.metadata, labels: given } };
}

function listOf(resourceVersions: string[], metadata: object = {}) {
  const list = { kind: 'PodList', apiVersion: 'v1', metadata: { resourceVersion: '9', ...metadata } };
  return json(200, { ...list, items: resourceVersions.map((resourceVersion) => labelled(podJson(resourceVersion))) });
}

function asked({ method, path, query }: SeenRequest): string[] {
  return [`${method} ${path}`, ...[...query].map(([key, value]) => `${key}: ${value}`)];
}

test("a list selects by the labels, page by page, and reads the server's present state", async () => {
  server.answer(listOf(['7']));
  const { pods } = await clusterAt(server.url);

  await pods.list('agents', labels);

  expect(server.requests.map(asked)).toEqual([
    ['GET /api/v1/namespaces/agents/pods', `labelSelector: ${labelSelector}`, 'limit: 500'],
  ]);
});

test('an object without the labels is left out, if the server ignores the selector: nobody deletes it', async () => {
  const others = [{}, { ...labels, 'davit.dev/launch-id': 'github-9-9-9' }].map((given) =>
    labelled(podJson('6'), given),
  );
  const items = [...others, labelled(podJson('7'))];
  server.answer(
    json(200, { kind: 'PodList', apiVersion: 'v1', metadata: { resourceVersion: '9', continue: 'page-2' }, items }),
  );
  const { pods } = await clusterAt(server.url);

  const page = await pods.list('agents', labels);

  expect(page).toMatchObject({
    items: [{ metadata: { resourceVersion: '7' } }],
    resourceVersion: '9',
    cursor: 'page-2',
  });
});

test.each([
  { fact: 'may not be listed', answer: refusal(403, 'Forbidden', 'pods is forbidden'), code: 'ClusterForbidden' },
  { fact: 'cannot be listed now', answer: refusal(500, 'InternalError', 'etcd: no leader'), code: 'ClusterFault' },
])('Pods that $fact are an error about the namespace', async ({ answer, code }) => {
  server.answer(answer);
  const { pods } = await clusterAt(server.url);

  await expect(pods.list('agents', labels)).rejects.toMatchObject({
    code,
    subject: { cluster: 'test', namespace: 'agents' },
  });
});

test('a list whose objects are null is empty, as Go writes it', async () => {
  server.answer(json(200, { kind: 'PodList', apiVersion: 'v1', metadata: { resourceVersion: '9' }, items: null }));
  const { pods, reports } = await clusterAt(server.url);

  expect(await pods.list('agents', labels)).toEqual({ items: [], resourceVersion: '9' });
  expect(await reports.events('agents', 'davit-x')).toEqual([]);
});

test.each([
  ['a Status', { kind: 'Status', apiVersion: 'v1', status: 'Success' }],
  ['null', null],
])('%s in place of a list is a fault of the server, and not an empty list', async (_what, body) => {
  server.answer(json(200, body));
  const { pods, reports } = await clusterAt(server.url);
  const fault = { name: 'TransientError', code: 'ClusterFault' };

  await expect(pods.list('agents', labels)).rejects.toMatchObject(fault);
  await expect(reports.events('agents', 'davit-x')).rejects.toMatchObject(fault);
});

test('an object of an unexpected shape is a defect, and is not left out', async () => {
  server.answer(json(200, { kind: 'PodList', apiVersion: 'v1', metadata: {}, items: [{ metadata: { name: 'x' } }] }));
  const { pods } = await clusterAt(server.url);

  await expect(pods.list('agents', labels)).rejects.toMatchObject({ name: '$ZodError' });
});

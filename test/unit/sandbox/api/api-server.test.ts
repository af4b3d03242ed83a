import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { ApiException, AuthorizationV1Api, CoreV1Api } from '@kubernetes/client-node';
import { podDraft, type RawRequest, serviceDraft, startTestApi } from './start-test-api.ts';

const PODS = '/api/v1/namespaces/default/pods';
const SERVICES = '/api/v1/namespaces/default/services';

describe('client-node', () => {
  test('creates, reads, lists, replaces, patches and deletes', async () => {
    await using api = await startTestApi();
    const core = api.kubeConfig.makeApiClient(CoreV1Api);

    const created = await core.createNamespacedService({ namespace: 'default', body: serviceDraft('a') });
    const read = await core.readNamespacedService({ namespace: 'default', name: 'a' });
    const replaced = await core.replaceNamespacedService({
      namespace: 'default',
      name: 'a',
      body: { ...serviceDraft('a'), metadata: { name: 'a', uid: read.metadata?.uid ?? '', labels: { team: 'a' } } },
    });
    const listed = await core.listNamespacedService({ namespace: 'default', labelSelector: 'team=a' });
    const deleted = await core.deleteNamespacedService({ namespace: 'default', name: 'a' });

    expect(created.spec?.ports?.[0]?.nodePort).toBeGreaterThanOrEqual(30_000);
    expect(read).toEqual(created);
    expect(replaced.metadata?.labels).toEqual({ team: 'a' });
    expect(listed.items.map((item) => item.metadata?.name)).toEqual(['a']);
    expect(deleted.metadata?.uid).toBe(created.metadata?.uid);
    expect(api.store.list('services')).toEqual([]);
    expect(api.errors).toEqual([]);
  });

  test('gets refusals as exceptions with the Status as their body', async () => {
    await using api = await startTestApi();
    const core = api.kubeConfig.makeApiClient(CoreV1Api);

    const refusal: unknown = await core.readNamespacedPod({ namespace: 'default', name: 'x' }).catch((error) => error);

    expect(refusal).toBeInstanceOf(ApiException);
    expect(refusal).toMatchObject({ code: 404, body: expect.stringContaining('pods \\"x\\" not found') });
  });

  test('learns its own rights', async () => {
    await using api = await startTestApi({ denied: [{ verb: 'create', resource: 'pods' }] });
    const review = (verb: string) =>
      api.kubeConfig.makeApiClient(AuthorizationV1Api).createSelfSubjectAccessReview({
        body: { spec: { resourceAttributes: { verb, resource: 'pods', namespace: 'default' } } },
      });

    expect((await review('create')).status?.allowed).toBe(false);
    expect((await review('delete')).status?.allowed).toBe(true);
  });
});

test('the API server stops at once, though a client is about to shake hands', async () => {
  const api = await startTestApi();
  const { port } = new URL(api.kubeConfig.getCurrentCluster()?.server ?? '');
  const client = connect(Number(port), '127.0.0.1');
  await once(client, 'connect');
  // The server has taken the connection when it has answered a later one.
  await api.send({ path: '/version' });

  // By itself, Node gives a client 120 s for its handshake.
  const patience = sleep(30_000, 'still waiting', { ref: false });
  const stopped = api[Symbol.asyncDispose]().then(() => 'stopped');

  expect(await Promise.race([stopped, patience])).toBe('stopped');
});

describe('the API server answers', () => {
  test.each<[string, RawRequest, number, object | string]>([
    [
      'no token',
      { path: PODS, headers: { authorization: '' } },
      401,
      { reason: 'Unauthorized', message: 'Unauthorized' },
    ],
    ['a wrong token', { path: '/version', headers: { authorization: 'Bearer x' } }, 401, { reason: 'Unauthorized' }],
    ['an unknown group', { path: '/apis/apps/v1/deployments' }, 404, '404 page not found\n'],
    [
      'an unsupported method',
      { path: PODS, method: 'PUT' },
      405,
      { reason: 'MethodNotAllowed', message: 'the server does not allow this method on the requested resource' },
    ],
    ['a body that is not an object', { path: PODS, method: 'POST', body: '[]' }, 400, { reason: 'BadRequest' }],
    [
      'fields of the wrong type',
      { path: PODS, method: 'POST', body: podDraft('a', { containers: 'none' }) },
      400,
      { message: expect.stringContaining('Pod.spec.containers') },
    ],
    ['an unsupported form', { path: PODS, headers: { accept: 'text/html' } }, 406, { reason: 'NotAcceptable' }],
    [
      'an invalid selector',
      { path: `${PODS}?labelSelector=${encodeURIComponent('a in b')}` },
      400,
      { reason: 'BadRequest' },
    ],
    [
      'an unsupported field selector',
      { path: `${PODS}?fieldSelector=spec.x%3D1` },
      400,
      { message: 'field label not supported: spec.x' },
    ],
  ])('%s', async (_, request, code, body) => {
    await using api = await startTestApi();

    const answer = await api.send(request);

    expect(answer.code).toBe(code);
    expect(answer.body).toEqual(typeof body === 'string' ? body : expect.objectContaining(body));
    expect(api.errors).toEqual([]);
  });

  test('a body above 3 MiB with 413', async () => {
    await using api = await startTestApi();

    const answer = await api.send({ path: PODS, method: 'POST', body: 'x'.repeat(3 * 1024 * 1024 + 1) });

    expect(answer).toMatchObject({ code: 413, body: { reason: 'RequestEntityTooLarge' } });
  });

  test("a denied request with RBAC's words", async () => {
    await using api = await startTestApi({ denied: [{ verb: 'list', resource: 'pods' }] });

    const answer = await api.send({ path: PODS });

    expect(answer).toMatchObject({
      code: 403,
      body: {
        reason: 'Forbidden',
        message:
          'pods is forbidden: User "system:serviceaccount:davit:davit" cannot list resource "pods" in API group "" in the namespace "default"',
      },
    });
  });
});

const patch = (contentType: string, body: object | string): RawRequest => ({
  method: 'PATCH',
  path: `${SERVICES}/a?fieldManager=test`,
  body,
  headers: { 'content-type': contentType },
});

describe('a patch over the wire', () => {
  test.each([
    ['application/merge-patch+json', { metadata: { labels: { b: '2', a: null } } }],
    ['application/strategic-merge-patch+json', { metadata: { labels: { b: '2', a: null } } }],
    [
      'application/json-patch+json',
      [
        { op: 'test', path: '/metadata/labels/a', value: '1' },
        { op: 'replace', path: '/metadata/labels', value: { b: '2' } },
      ],
    ],
  ])('of %s is applied', async (contentType, body) => {
    await using api = await startTestApi();
    api.store.create('services', {
      ...serviceDraft('a'),
      metadata: { name: 'a', namespace: 'default', labels: { a: '1' } },
    });

    const answer = await api.send(patch(contentType, body));

    expect(answer.code).toBe(200);
    expect(api.store.get('services', 'default', 'a')?.metadata.labels).toEqual({ b: '2' });
  });

  test('by server-side apply creates a missing object', async () => {
    await using api = await startTestApi();
    const body = 'apiVersion: v1\nkind: Service\nmetadata: {name: a}\nspec: {type: NodePort, ports: [{port: 80}]}\n';

    const first = await api.send(patch('application/apply-patch+yaml', body));
    const second = await api.send(patch('application/apply-patch+yaml', body));

    expect([first.code, second.code]).toEqual([201, 200]);
    expect(second.body).toEqual(first.body);
  });

  test('with a failing test changes nothing', async () => {
    await using api = await startTestApi();
    api.store.create('services', serviceDraft('a'));

    const answer = await api.send(
      patch('application/json-patch+json', [
        { op: 'add', path: '/metadata/labels', value: { b: '2' } },
        { op: 'test', path: '/metadata/name', value: 'b' },
      ]),
    );

    expect(answer).toMatchObject({
      code: 422,
      body: { message: 'the server rejected our request due to an error in our request' },
    });
    expect(api.store.get('services', 'default', 'a')?.metadata.labels).toBeUndefined();
  });

  test('with an old resourceVersion is a Conflict', async () => {
    await using api = await startTestApi();
    api.store.create('services', serviceDraft('a'));

    const answer = await api.send(patch('application/merge-patch+json', { metadata: { resourceVersion: '1' } }));

    expect(answer).toMatchObject({ code: 409, body: { reason: 'Conflict' } });
  });
});

describe('subresources', () => {
  test('a status is written apart from the rest', async () => {
    await using api = await startTestApi();
    const pod = api.store.create('pods', podDraft('a'));
    const body = { ...pod, spec: { containers: [] }, status: { phase: 'Running' } };

    const answer = await api.send({ method: 'PUT', path: `${PODS}/a/status`, body });

    expect(answer).toMatchObject({ code: 200, body: { spec: pod.spec, status: { phase: 'Running' } } });
  });

  test('a replace does not write the status', async () => {
    await using api = await startTestApi();
    const pod = api.store.create('pods', podDraft('a'));

    const answer = await api.send({ method: 'PUT', path: `${PODS}/a`, body: { ...pod, status: { phase: 'Failed' } } });

    expect(answer).toMatchObject({ code: 200, body: { status: { phase: 'Pending' } } });
  });

  test('binding gives a Pod its node', async () => {
    await using api = await startTestApi();
    api.store.create('pods', podDraft('a'));

    const answer = await api.send({ method: 'POST', path: `${PODS}/a/binding`, body: { target: { name: 'n1' } } });

    expect(answer).toMatchObject({ code: 201, body: { status: 'Success' } });
    expect(api.store.get('pods', 'default', 'a')?.spec).toMatchObject({ nodeName: 'n1' });
  });

  test('eviction sets the reason and deletes', async () => {
    await using api = await startTestApi();
    api.store.bind(api.store.create('pods', podDraft('a')), 'n1');

    const answer = await api.send({
      method: 'POST',
      path: `${PODS}/a/eviction`,
      body: { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'a', namespace: 'default' } },
    });

    expect(answer.code).toBe(201);
    expect(api.store.get('pods', 'default', 'a')).toMatchObject({
      metadata: { deletionGracePeriodSeconds: 30 },
      status: {
        conditions: [
          { type: 'PodScheduled' },
          { type: 'DisruptionTarget', status: 'True', reason: 'EvictionByEvictionAPI' },
        ],
      },
    });
  });

  test.each([
    [
      'that waits',
      { containerStatuses: [{ name: 'agent', state: { waiting: { reason: 'ImagePullBackOff' } } }] },
      '',
      'container "agent" in pod "a" is waiting to start: trying and failing to pull image',
    ],
    ['of another name', {}, 'x', 'container x is not valid for pod a'],
  ])('the log of a container %s is refused as by the kubelet', async (_, status, container, message) => {
    await using api = await startTestApi();
    const pod = api.store.create('pods', podDraft('a'));
    api.store.bind(pod, 'n1');
    api.store.updateStatus('pods', pod, (before) => ({ ...before, ...status }));

    const answer = await api.send({ path: `${PODS}/a/log?container=${container}` });

    expect(answer).toMatchObject({ code: 400, body: { reason: 'BadRequest', message } });
  });

  test('a log comes from the kubelet with the requested options', async () => {
    const asked: unknown[] = [];
    const logs = {
      read: (_pod: unknown, options: unknown) => {
        asked.push(options);
        return (async function* () {
          yield Buffer.from('one\n');
          yield Buffer.from('two\n');
        })();
      },
    };
    await using api = await startTestApi({ logs });
    const pod = api.store.create('pods', podDraft('a'));
    api.store.bind(pod, 'n1');
    api.store.updateStatus('pods', pod, (before) => ({
      ...before,
      containerStatuses: [{ name: 'agent', state: { running: {} } }],
    }));

    const answer = await api.send({ path: `${PODS}/a/log?tailLines=2&timestamps=true` });

    expect(answer).toMatchObject({ code: 200, body: 'one\ntwo\n' });
    expect(asked).toEqual([{ container: 'agent', follow: false, previous: false, timestamps: true, tailLines: 2 }]);
  });
});

describe('a delete over the wire', () => {
  test.each([
    ['the body', { path: `${PODS}/a`, body: { gracePeriodSeconds: 7 } }],
    ['the query', { path: `${PODS}/a?gracePeriodSeconds=7` }],
  ])('takes its options from %s', async (_, request) => {
    await using api = await startTestApi();
    api.store.bind(api.store.create('pods', podDraft('a')), 'n1');

    const answer = await api.send({ method: 'DELETE', ...request });

    expect(answer).toMatchObject({ code: 200, body: { kind: 'Pod', metadata: { deletionGracePeriodSeconds: 7 } } });
  });

  test('of a collection takes the objects that match the selector', async () => {
    await using api = await startTestApi();
    for (const [name, team] of Object.entries({ a: 'x', b: 'x', c: 'y' })) {
      api.store.create('pods', { ...podDraft(name), metadata: { name, namespace: 'default', labels: { team } } });
    }

    const answer = await api.send({ method: 'DELETE', path: `${PODS}?labelSelector=team%3Dx` });

    expect(answer.code).toBe(200);
    expect(api.store.list('pods').map(({ metadata }) => metadata.name)).toEqual(['c']);
  });

  test('as a dry run changes nothing, as does a dry create', async () => {
    await using api = await startTestApi();
    api.store.create('pods', podDraft('a'));
    const revision = api.store.changes.revision;

    const created = await api.send({ method: 'POST', path: `${PODS}?dryRun=All`, body: podDraft('b') });
    const deleted = await api.send({ method: 'DELETE', path: `${PODS}/a?dryRun=All` });

    expect([created.code, deleted.code]).toEqual([201, 200]);
    expect(api.store.changes.revision).toBe(revision);
  });
});

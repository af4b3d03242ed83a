import { Faults } from '../../../../sandbox/faults.ts';
import { podDraft, serviceDraft, startTestApi } from './start-test-api.ts';
import { openWatch, summary } from './watch-frames.ts';

const PODS = '/api/v1/namespaces/default/pods';
const SERVICES = '/api/v1/namespaces/default/services';

const request = (name: string) => ({ verb: 'get', resource: 'pods', name, receivedAtEpochMs: 0 }) as const;

describe('rules', () => {
  test('are used up only by the requests that match them', () => {
    const faults = new Faults();
    faults.add({ match: { verb: 'get', name: 'a' }, count: 2, effect: { kind: 'hang' } });

    const effects = ['a', 'b', 'a', 'a'].map((name) => faults.take(request(name)).length);

    expect(effects).toEqual([1, 0, 1, 0]);
  });

  test('strike at random, but identically for the same seed', () => {
    const strikes = [1, 1, 2].map((seed) => {
      const faults = new Faults({ seed });
      faults.add({ match: {}, probability: 0.5, effect: { kind: 'hang' } });
      return Array.from({ length: 64 }, () => faults.take(request('a')).length).join('');
    });

    expect(strikes[0]).toBe(strikes[1]);
    expect(strikes[0]).not.toBe(strikes[2]);
    expect(strikes[0]).toMatch(/01|10/);
  });

  test('end when they are removed', () => {
    const faults = new Faults();
    const remove = faults.add({ match: {}, effect: { kind: 'hang' } });

    remove();

    expect(faults.take(request('a'))).toEqual([]);
  });
});

describe('requests', () => {
  test('are kept with their answers, but only the latest', async () => {
    await using api = await startTestApi({ faults: new Faults({ mostRequests: 2 }) });
    const heard: string[] = [];
    api.faults.onRequest(({ verb, resource }) => heard.push(`${verb} ${resource}`));

    await api.send({ path: SERVICES });
    await api.send({ method: 'POST', path: PODS, body: podDraft('a') });
    await api.send({ path: `${PODS}/b` });

    expect(heard).toEqual(['list services', 'create pods', 'get pods']);
    expect(api.faults.requests).toMatchObject([
      { verb: 'create', resource: 'pods', namespace: 'default', code: 201 },
      { verb: 'get', resource: 'pods', namespace: 'default', name: 'b', code: 404 },
    ]);
    expect(api.faults.count({ verb: 'get', resource: 'pods' })).toBe(1);
  });
});

describe('a fault', () => {
  test('answers in place of the server', async () => {
    await using api = await startTestApi();
    api.faults.add({
      match: { verb: 'create', resource: 'pods' },
      count: 1,
      effect: {
        kind: 'answer',
        answer: { code: 429, reason: 'TooManyRequests', message: 'slow down', retryAfterSeconds: 3 },
      },
    });

    const first = await api.send({ method: 'POST', path: PODS, body: podDraft('a') });
    const second = await api.send({ method: 'POST', path: PODS, body: podDraft('a') });

    expect(first).toMatchObject({
      code: 429,
      headers: { 'retry-after': '3' },
      body: { kind: 'Status', reason: 'TooManyRequests', message: 'slow down', details: { retryAfterSeconds: 3 } },
    });
    expect(second.code).toBe(201);
  });

  test.each([
    ['before', 0],
    ['after', 1],
  ] as const)('breaks the connection %s the request takes effect', async (when, created) => {
    await using api = await startTestApi();
    api.faults.add({ match: { verb: 'create' }, effect: { kind: 'drop', when } });

    const sent = api.send({ method: 'POST', path: PODS, body: podDraft('a') });

    await expect(sent).rejects.toMatchObject({ code: 'ECONNRESET' });
    expect(api.store.list('pods')).toHaveLength(created);
    expect(api.faults.requests[0]?.code).toBeUndefined();
  });

  test('lets a request hang until the server stops', async () => {
    const api = await startTestApi();
    const { promise: received, resolve } = Promise.withResolvers<void>();
    api.faults.add({ match: {}, effect: { kind: 'hang' } });
    api.faults.onRequest(() => resolve());

    const sent = api.send({ method: 'POST', path: PODS, body: podDraft('a') });
    await received;
    await Promise.all([expect(sent).rejects.toMatchObject({ code: 'ECONNRESET' }), api[Symbol.asyncDispose]()]);

    expect(api.store.list('pods')).toEqual([]);
    expect(api.errors).toEqual([]);
  });

  test('delays a request, while others are answered', async () => {
    const api = await startTestApi();
    const { promise: received, resolve } = Promise.withResolvers<void>();
    api.faults.add({ match: { verb: 'create' }, effect: { kind: 'delay', delayMs: 3_600_000 } });
    api.faults.add({ match: { verb: 'list' }, effect: { kind: 'delay', delayMs: [1, 5] } });
    api.faults.onRequest(() => resolve());

    const delayed = api.send({ method: 'POST', path: PODS, body: podDraft('a') });
    await received;
    const listed = await api.send({ path: PODS });
    await Promise.all([expect(delayed).rejects.toMatchObject({ code: 'ECONNRESET' }), api[Symbol.asyncDispose]()]);

    expect(listed).toMatchObject({ code: 200, body: { items: [] } });
    expect(api.store.list('pods')).toEqual([]);
  });

  test('shows a new Service without its nodePort, and adds it later', async () => {
    await using api = await startTestApi();
    api.faults.add({
      match: { verb: 'create', resource: 'services' },
      effect: { kind: 'late-node-ports', delayMs: 5 },
    });
    using watch = await openWatch(api.kubeConfig, `${SERVICES}?watch=true`);

    await api.send({ method: 'POST', path: SERVICES, body: serviceDraft('a', { nodePort: 30_009 }) });
    const [added, modified] = await watch.take(2);

    expect(added).toMatchObject({ type: 'ADDED', object: { spec: { ports: [{ port: 80 }] } } });
    expect(JSON.stringify(added)).not.toContain('nodePort"');
    expect(modified).toMatchObject({ type: 'MODIFIED', object: { spec: { ports: [{ nodePort: 30_009 }] } } });
  });

  test('breaks a watch', async () => {
    await using api = await startTestApi();
    api.faults.add({ match: { verb: 'watch' }, effect: { kind: 'close-watch', afterMs: 5 } });

    using watch = await openWatch(api.kubeConfig, `${PODS}?watch=true`);

    expect(await watch.ended).toBe(false);
  });

  test('silences a watch, which stays open until its time-out', async () => {
    await using api = await startTestApi();
    api.faults.add({ match: { verb: 'watch' }, count: 1, effect: { kind: 'silence-watch', afterMs: 0 } });
    using silent = await openWatch(api.kubeConfig, `${PODS}?watch=true&timeoutSeconds=1`);
    using other = await openWatch(api.kubeConfig, `${PODS}?watch=true`);

    api.store.create('pods', podDraft('a'));
    const heard = await other.take(1);

    expect(heard.map(summary)).toEqual(['ADDED a']);
    expect(await silent.take(1)).toEqual([]);
    expect(await silent.ended).toBe(true);
  });

  test('ends a watch because its version is too old', async () => {
    await using api = await startTestApi();
    api.faults.add({ match: { verb: 'watch' }, effect: { kind: 'expire-watch' } });

    using watch = await openWatch(api.kubeConfig, `${PODS}?watch=true&resourceVersion=5`);
    const frames = await watch.take(2);

    expect(frames.map(summary)).toEqual(['ERROR 410']);
  });
});

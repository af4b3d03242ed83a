import { MemoryStore } from '../../../../sandbox/store/memory-store.ts';
import { podDraft, startTestApi } from './start-test-api.ts';
import { openWatch, summary } from './watch-frames.ts';

const PODS = '/api/v1/namespaces/default/pods?watch=true';

describe('a watch', () => {
  test('without a version starts with the present objects and continues with changes', async () => {
    await using api = await startTestApi();
    const pod = api.store.create('pods', podDraft('a'));

    using watch = await openWatch(api.kubeConfig, PODS);
    const [first] = await watch.take(1);
    api.store.updateStatus('pods', pod, () => ({ phase: 'Running' }));
    api.store.delete('pods', 'default', 'a');
    const rest = await watch.take(2);

    expect([first, ...rest].map((frame) => frame && summary(frame))).toEqual(['ADDED a', 'MODIFIED a', 'DELETED a']);
  });

  test('from a version reports later changes, and no earlier ones', async () => {
    await using api = await startTestApi();
    const { resourceVersion } = api.store.create('pods', podDraft('a')).metadata;
    api.store.create('pods', podDraft('b'));
    api.store.delete('pods', 'default', 'a');

    using watch = await openWatch(api.kubeConfig, `${PODS}&resourceVersion=${resourceVersion}`);
    const frames = await watch.take(2);

    expect(frames.map(summary)).toEqual(['ADDED b', 'DELETED a']);
  });

  test('from a dropped version gets an ERROR frame, and ends', async () => {
    const store = new MemoryStore();
    await using api = await startTestApi({ store });
    store.create('pods', podDraft('a'));
    store.create('pods', podDraft('b'));
    store.changes.compact(0);

    using watch = await openWatch(api.kubeConfig, `${PODS}&resourceVersion=6`);
    const frames = await watch.take(2);

    expect(frames).toEqual([
      {
        type: 'ERROR',
        object: expect.objectContaining({
          kind: 'Status',
          code: 410,
          reason: 'Expired',
          message: 'too old resource version: 6 (7)',
        }),
      },
    ]);
    expect(await watch.ended).toBe(true);
  });

  test('with a selector reports objects that begin to match as added, and objects that cease to as deleted', async () => {
    await using api = await startTestApi();
    const pod = api.store.create('pods', podDraft('a'));
    const selector = encodeURIComponent('status.phase=Running');

    using watch = await openWatch(
      api.kubeConfig,
      `${PODS}&fieldSelector=${selector}&resourceVersion=${api.store.changes.revision}`,
    );
    api.store.updateStatus('pods', pod, () => ({ phase: 'Running' }));
    api.store.updateStatus('pods', pod, () => ({ phase: 'Running', podIP: '10.0.0.1' }));
    api.store.updateStatus('pods', pod, () => ({ phase: 'Failed' }));
    api.store.updateStatus('pods', pod, () => ({ phase: 'Failed', reason: 'Evicted' }));
    const frames = await watch.take(3);

    expect(frames.map(summary)).toEqual(['ADDED a', 'MODIFIED a', 'DELETED a']);
    expect(frames[2]?.object).toMatchObject({ status: { phase: 'Running' }, metadata: { resourceVersion: '9' } });
  });

  test('in one Namespace reports no objects of another', async () => {
    await using api = await startTestApi();

    using watch = await openWatch(api.kubeConfig, `${PODS}&resourceVersion=${api.store.changes.revision}`);
    api.store.create('pods', { ...podDraft('x'), metadata: { name: 'x', namespace: 'kube-system' } });
    api.store.create('pods', podDraft('a'));

    expect((await watch.take(1)).map(summary)).toEqual(['ADDED a']);
  });

  test('that asks for initial events gets a bookmark after them', async () => {
    await using api = await startTestApi();
    api.store.create('pods', podDraft('a'));

    using watch = await openWatch(
      api.kubeConfig,
      `${PODS}&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true`,
    );
    const [added, bookmark] = await watch.take(2);

    expect(added && summary(added)).toBe('ADDED a');
    expect(bookmark).toEqual({
      type: 'BOOKMARK',
      object: {
        kind: 'Pod',
        apiVersion: 'v1',
        metadata: { resourceVersion: '6', annotations: { 'k8s.io/initial-events-end': 'true' } },
      },
    });
  });

  test('gets bookmarks with the present version', async () => {
    await using api = await startTestApi({ bookmarkIntervalMs: 5 });

    using watch = await openWatch(api.kubeConfig, `${PODS}&allowWatchBookmarks=true`);
    const [bookmark] = await watch.take(1);

    expect(bookmark).toMatchObject({ type: 'BOOKMARK', object: { metadata: { resourceVersion: '5' } } });
  });

  test('ends properly at its time-out', async () => {
    await using api = await startTestApi();

    using watch = await openWatch(api.kubeConfig, `${PODS}&timeoutSeconds=0`);

    expect(await watch.take(1)).toEqual([]);
    expect(await watch.ended).toBe(true);
  });

  test('as a table has its header once', async () => {
    await using api = await startTestApi();
    api.store.create('pods', podDraft('a'));
    api.store.create('pods', podDraft('b'));

    using watch = await openWatch(api.kubeConfig, PODS, { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' });
    const frames = await watch.take(2);

    expect(frames.map(({ object }) => object.columnDefinitions?.length)).toEqual([9, 0]);
    expect(frames.map(({ object }) => object.rows?.[0]?.cells.slice(0, 4))).toEqual([
      ['a', '0/1', 'Pending', '0'],
      ['b', '0/1', 'Pending', '0'],
    ]);
  });

  test('releases the store when its client disconnects', async () => {
    await using api = await startTestApi();
    const watch = await openWatch(api.kubeConfig, PODS);

    watch[Symbol.dispose]();

    expect(await watch.ended).toBe(false);
    expect(api.errors).toEqual([]);
  });
});

import { podDraft, serviceDraft, startTestApi } from './start-test-api.ts';

const PODS = '/api/v1/namespaces/default/pods';

interface PodList {
  metadata: { resourceVersion: string; continue?: string; remainingItemCount?: number };
  items: { metadata: { name: string } }[];
}

const namesOf = (body: unknown): string[] => (body as PodList).items.map(({ metadata }) => metadata.name);

describe('a list', () => {
  test('in pages shows one moment, whatever changes between the pages', async () => {
    await using api = await startTestApi();
    for (const name of ['a', 'b', 'c', 'd', 'e']) api.store.create('pods', podDraft(name));

    const first = (await api.send({ path: `${PODS}?limit=2` })).body as PodList;
    api.store.delete('pods', 'default', 'd');
    api.store.create('pods', podDraft('c1'));
    const second = (await api.send({ path: `${PODS}?limit=2&continue=${first.metadata.continue}` })).body as PodList;
    const third = (await api.send({ path: `${PODS}?limit=2&continue=${second.metadata.continue}` })).body as PodList;

    expect([first, second, third].map(namesOf)).toEqual([['a', 'b'], ['c', 'd'], ['e']]);
    expect(first.metadata.remainingItemCount).toBe(3);
    expect(third.metadata.resourceVersion).toBe(first.metadata.resourceVersion);
    expect(third.metadata.continue).toBeUndefined();
  });

  test('at an exact revision shows that revision', async () => {
    await using api = await startTestApi();
    const { resourceVersion } = api.store.create('pods', podDraft('a')).metadata;
    api.store.create('pods', podDraft('b'));
    api.store.delete('pods', 'default', 'a');

    const answer = await api.send({ path: `${PODS}?resourceVersion=${resourceVersion}&resourceVersionMatch=Exact` });

    expect(namesOf(answer.body)).toEqual(['a']);
  });

  test('at a future revision times out', async () => {
    await using api = await startTestApi();

    const answer = await api.send({ path: `${PODS}?resourceVersion=1000` });

    expect(answer).toMatchObject({
      code: 504,
      headers: { 'retry-after': '1' },
      body: { reason: 'Timeout', message: 'Timeout: Too large resource version: 1000, current: 5' },
    });
  });

  test('as a table has the columns that kubectl shows', async () => {
    await using api = await startTestApi();
    api.store.create('services', serviceDraft('a', { nodePort: 30_007 }));

    const answer = await api.send({
      path: '/api/v1/services',
      headers: { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json' },
    });

    expect(answer.body).toMatchObject({
      kind: 'Table',
      apiVersion: 'meta.k8s.io/v1',
      columnDefinitions: ['Name', 'Type', 'Cluster-IP', 'External-IP', 'Port(s)', 'Age', 'Selector'].map((name) => ({
        name,
      })),
      rows: [
        {
          cells: [
            'a',
            'NodePort',
            expect.stringMatching(/^10\.96\./),
            '<none>',
            '80:30007/TCP',
            expect.any(String),
            '<none>',
          ],
          object: { kind: 'PartialObjectMetadata', metadata: { name: 'a' } },
        },
      ],
    });
  });
});

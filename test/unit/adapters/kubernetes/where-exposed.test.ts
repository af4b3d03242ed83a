import { whereExposed } from '../../../../adapters/kubernetes/where-exposed.ts';
import { json, refusal } from '../../../support/fake-api-server.ts';
import { makeProfile } from '../../../support/make-profile.ts';
import { clusterAt, podJson, serverOfEachTest } from './fixtures.ts';

const server = serverOfEachTest();
beforeEach(() =>
  server.answer(refusal(403, 'Forbidden', 'services is forbidden: User "davit" cannot list resource "services"')),
);

const labels = { 'davit.dev/launch-id': 'api-1' };
const exposed = makeProfile({ name: 'exposed', namespace: 'builds', clusters: ['test'], expose: 'nodePort' });
const unexposed = makeProfile({ clusters: ['test'], expose: 'none' });

async function open(profiles = [unexposed, exposed]) {
  const cluster = await clusterAt(server.url);
  return whereExposed(async () => cluster, profiles);
}

describe('a cluster that refuses davit to list Services', () => {
  test('has none in a namespace where no profile exposes its agents', async () => {
    const { services } = await (await open())('test');

    expect(await services.list('agents', labels)).toMatchObject({ items: [] });
    const asked = server.requests.length;
    expect(await services.list('agents', labels)).toMatchObject({ items: [] });
    expect(server.requests).toHaveLength(asked);
  });

  test('refuses davit in a namespace where a profile exposes them', async () => {
    const { services } = await (await open())('test');

    await expect(services.list('builds', labels)).rejects.toMatchObject({ code: 'ClusterForbidden' });
  });

  test('refuses davit to list Pods anywhere', async () => {
    const { pods } = await (await open())('test');

    await expect(pods.list('agents', labels)).rejects.toMatchObject({ code: 'ClusterForbidden' });
  });

  test('is the same cluster each time that it is opened', async () => {
    const opened = await open();

    expect(await opened('test')).toBe(await opened('test'));
  });
});

test('Services that davit may still list are not overlooked, though no profile exposes its agents any more', async () => {
  const service = { metadata: { ...podJson('7').metadata, name: 'davit-api-1', labels }, spec: {} };
  server.answer(
    json(200, { kind: 'ServiceList', apiVersion: 'v1', metadata: { resourceVersion: '9' }, items: [service] }),
  );

  const { services } = await (await open([unexposed]))('test');

  expect((await services.list('agents', labels)).items).toMatchObject([{ metadata: { name: 'davit-api-1' } }]);
});

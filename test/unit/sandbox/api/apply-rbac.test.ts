import { clusterObjects } from '../../../../cdk/rbac/cluster-objects.ts';
import { identityOn } from '../../../../cdk/rbac/davit-identity.ts';
import { readConfig } from '../../../../core/config/read-config.ts';
import { resourceOfKind } from '../../../../sandbox/store/resources.ts';
import { startTestApi, type TestApi } from './start-test-api.ts';

let api: TestApi;
beforeEach(async () => {
  api = await startTestApi();
});
afterEach(() => api[Symbol.asyncDispose]());

type Applied = ReturnType<typeof clusterObjects>[number];

/** Applies an object as `kubectl apply --server-side` does. */
function apply(object: Applied) {
  const { apiVersion, kind, metadata } = object;
  const { namespace, name } = metadata as { namespace?: string; name: string };
  const root = apiVersion === 'v1' ? '/api/v1' : `/apis/${apiVersion}`;
  const plural = resourceOfKind(apiVersion, kind)?.name;
  const path = `${root}/${namespace === undefined ? '' : `namespaces/${namespace}/`}${plural}/${name}?fieldManager=kubectl`;
  return api.send({ method: 'PATCH', path, headers: { 'content-type': 'application/apply-patch+yaml' }, body: object });
}

test('every object of `davit rbac` is applied, and applied again', async () => {
  const config = await readConfig('davit.yaml');
  const [cluster] = config.clusters;
  const objects = cluster === undefined ? [] : clusterObjects(config, cluster.name, identityOn(cluster));

  const first = [];
  for (const object of objects) first.push((await apply(object)).code);
  const again = [];
  for (const object of objects) again.push((await apply(object)).code);

  expect(objects.length).toBeGreaterThan(10);
  expect(new Set(first)).toEqual(new Set([201]));
  expect(new Set(again)).toEqual(new Set([200]));
  expect(api.errors).toEqual([]);
});

test('the groups of these objects are discovered, and a group has its own resources only', async () => {
  const groups = await api.send({ path: '/apis' });
  const roles = await api.send({ path: '/apis/rbac.authorization.k8s.io/v1/clusterroles' });
  const pods = await api.send({ path: '/apis/rbac.authorization.k8s.io/v1/pods' });

  expect(JSON.stringify(groups.body)).toMatch(/rbac.authorization.k8s.io.*networking.k8s.io/);
  expect(roles).toMatchObject({
    code: 200,
    body: { kind: 'ClusterRoleList', apiVersion: 'rbac.authorization.k8s.io/v1' },
  });
  expect(pods.code).toBe(404);
});

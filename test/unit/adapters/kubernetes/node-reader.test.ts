import { json, refusal } from '../../../support/fake-api-server.ts';
import { clusterAt, serverOfEachTest } from './fixtures.ts';

const server = serverOfEachTest();

test('a Node is read with its addresses', async () => {
  const addresses = [{ type: 'InternalIP', address: '10.0.0.7' }];
  const metadata = { name: 'node-1', labels: { type: 'virtual-kubelet' } };
  server.answer(json(200, { kind: 'Node', apiVersion: 'v1', metadata, spec: {}, status: { addresses } }));
  const { nodes } = await clusterAt(server.url);

  expect(await nodes.get('node-1')).toEqual({ status: { addresses } });
  expect(server.requests).toMatchObject([{ method: 'GET', path: '/api/v1/nodes/node-1' }]);
});

test('a missing Node is undefined', async () => {
  server.answer(refusal(404, 'NotFound', 'nodes "node-1" not found'));
  const { nodes } = await clusterAt(server.url);

  expect(await nodes.get('node-1')).toBeUndefined();
});

test('a forbidden Node is an error that says which right to grant', async () => {
  const detail =
    'nodes "node-1" is forbidden: User "davit" cannot get resource "nodes" in API group "" at the cluster scope';
  server.answer(refusal(403, 'Forbidden', detail));
  const { nodes } = await clusterAt(server.url);

  await expect(nodes.get('node-1')).rejects.toMatchObject({ code: 'ClusterForbidden', subject: { node: 'node-1' } });
});

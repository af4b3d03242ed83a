import { type ApiAnswer, type ApiClient, openApi } from './api-client.ts';
import { anotherUid, conversations, gatedPod, nodePortService } from './api-conversations.ts';

const core = '/api/v1/namespaces/davit-agents';
const uidPattern = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

/**
 * Any API server's answers, word by word, to a client without a library.
 *
 * @param makeKubeconfig returns a kubeconfig for a cluster with the namespace davit-agents, and the node ports 30000
 * and 30001
 */
export function describeApi(cluster: string, makeKubeconfig: () => Promise<string>): void {
  describe(`the API of a cluster (${cluster})`, () => {
    let api: ApiClient;
    beforeAll(async () => {
      api = openApi(await makeKubeconfig());
      await api.send(`${core}/pods`, { method: 'POST', body: gatedPod('a') });
      for (const name of ['s0', 's1'])
        await api.send(`${core}/services`, { method: 'POST', body: nodePortService(name) });
    });
    afterAll(() => api[Symbol.dispose]());

    test.each(conversations)('$what is answered $answer', async ({ path = 'pods', request, answer }) => {
      const answered = await api.send(path.startsWith('/') ? path : `${core}/${path}`, request);

      expect(said(answered)).toBe(answer);
    });

    test('a node port that a Service gives up goes to another Service', async () => {
      const freed = await api.send(`${core}/services/s1`, { method: 'DELETE' });
      const taken = await api.send(`${core}/services`, { method: 'POST', body: nodePortService('s2') });
      const service = (await api.send(`${core}/services/s2`)).body;

      expect([freed.status, taken.status]).toEqual([200, 201]);
      expect(service).toMatchObject({ spec: { ports: [{ nodePort: expect.any(Number) }] } });
    });

    test('a watch reports what is created, changed and deleted, in that order', async () => {
      const list = await api.send(`${core}/pods`);
      const { resourceVersion } = list.body['metadata'] as { resourceVersion: string };
      const watching = api.send(`${core}/pods?watch=1&resourceVersion=${resourceVersion}`, { forMs: 2000 });
      const labels = { metadata: { labels: { seen: 'yes' } } };

      await api.send(`${core}/pods`, { method: 'POST', body: gatedPod('watched') });
      await api.send(`${core}/pods/watched`, {
        method: 'PATCH',
        body: labels,
        contentType: 'application/merge-patch+json',
      });
      await api.send(`${core}/pods/watched`, { method: 'DELETE' });
      const events = (await watching).text.trim().split('\n');

      const types = events.map((line) => (JSON.parse(line) as { type: string }).type);
      // Meanwhile the scheduler may report that the Pod waits at its gate.
      expect([types[0], types.at(-1)]).toEqual(['ADDED', 'DELETED']);
      expect(types.slice(1, -1)).toEqual(types.slice(1, -1).map(() => 'MODIFIED'));
      expect(types.length).toBeGreaterThan(2);
    });

    test('a Service that is deleted in the foreground goes after the Pod that it owns', async () => {
      const service = await api.send(`${core}/services/s0`);
      const { uid } = service.body['metadata'] as { uid: string };
      const owner = { apiVersion: 'v1', kind: 'Service', name: 's0', uid, blockOwnerDeletion: true };
      await api.send(`${core}/pods`, {
        method: 'POST',
        body: gatedPod('owned', {}, {}, { ownerReferences: [owner], finalizers: ['davit.dev/held'] }),
      });

      const deletion = { propagationPolicy: 'Foreground', preconditions: { uid } };
      const deleted = await api.send(`${core}/services/s0`, { method: 'DELETE', body: deletion });
      const held = await api.send(`${core}/services/s0`);
      await api.send(`${core}/pods/owned`, {
        method: 'PATCH',
        body: { metadata: { finalizers: null } },
        contentType: 'application/merge-patch+json',
      });

      expect(deleted.body).toMatchObject({ metadata: { finalizers: ['foregroundDeletion'] } });
      expect(held.status).toBe(200);
      await expect(gone('services/s0')).resolves.toEqual([404, 404]);
    });

    async function gone(path: string): Promise<number[]> {
      const deadlineMs = performance.now() + 30_000;
      for (;;) {
        const statuses = [(await api.send(`${core}/${path}`)).status, (await api.send(`${core}/pods/owned`)).status];
        if (statuses.every((status) => status === 404) || performance.now() > deadlineMs) return statuses;
      }
    }
  });
}

/** The answer in one line. */
function said({ status, body }: ApiAnswer): string {
  const { kind, reason, message } = body;
  if (kind !== 'Status') return [status, kind].filter(Boolean).join(' ');
  const words = String(message).replaceAll(uidPattern, (uid) => (uid === anotherUid ? uid : 'UID'));
  return `${[status, reason].filter(Boolean).join(' ')}: ${words}`;
}

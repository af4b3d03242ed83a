import type { ServerResponse } from 'node:http';
import { json, refusal } from '../../../support/fake-api-server.ts';
import { clusterAt, serverOfEachTest } from './fixtures.ts';

const server = serverOfEachTest();

const failedMount = {
  metadata: { name: 'davit-x.1', namespace: 'agents', resourceVersion: '9' },
  type: 'Warning',
  reason: 'FailedMount',
  message: 'secret "tls" not found',
  involvedObject: { kind: 'Pod', name: 'davit-x', uid: 'pod-uid-1' },
  count: 3,
  firstTimestamp: '2026-01-01T00:00:00Z',
  lastTimestamp: '2026-01-01T00:00:09Z',
  eventTime: null,
};

describe('the Events of a Pod', () => {
  test('are the Events that have it as their object', async () => {
    server.answer(json(200, { kind: 'EventList', apiVersion: 'v1', metadata: {}, items: [failedMount] }));
    const { reports } = await clusterAt(server.url);

    const [seen, ...others] = await reports.events('agents', 'davit-x');

    expect(seen).toMatchObject({ type: 'Warning', reason: 'FailedMount', message: 'secret "tls" not found', count: 3 });
    expect(Date.parse(seen?.lastTimestamp ?? '')).toBe(1_767_225_609_000);
    expect(others).toEqual([]);
    expect(server.requests[0]?.path).toBe('/api/v1/namespaces/agents/events');
    expect(server.requests[0]?.query.get('fieldSelector')).toBe('involvedObject.kind=Pod,involvedObject.name=davit-x');
  });

  test('are an error that says which right to grant when davit may not read them', async () => {
    server.answer(
      refusal(403, 'Forbidden', 'events is forbidden: User "davit" cannot list resource "events" in API group ""'),
    );
    const { reports } = await clusterAt(server.url);

    await expect(reports.events('agents', 'davit-x')).rejects.toMatchObject({ code: 'ClusterForbidden' });
  });
});

describe('the log of a container', () => {
  const tail = { lines: 20, bytes: 4096 };

  test('is read from its end', async () => {
    server.answer((response) => response.writeHead(200, { 'content-type': 'text/plain' }).end('one\ntwo\n'));
    const { reports } = await clusterAt(server.url);

    expect(await reports.log('agents', 'davit-x', 'agent', tail)).toBe('one\ntwo\n');
    expect(server.requests[0]?.path).toBe('/api/v1/namespaces/agents/pods/davit-x/log');
    expect(Object.fromEntries(server.requests[0]?.query ?? [])).toEqual({
      container: 'agent',
      tailLines: '20',
      limitBytes: '4096',
    });
  });

  const lost = 'unable to retrieve container logs for containerd://43b5e76f';
  const text = (log: string) => (response: ServerResponse) =>
    void response.writeHead(200, { 'content-type': 'text/plain' }).end(log);

  test('is read again after the kubelet has removed the container that the status names', async () => {
    server.answer(text(lost), text('no disk\n'));
    const { reports } = await clusterAt(server.url);

    expect(await reports.log('agents', 'davit-x', 'agent', tail)).toBe('no disk\n');
  });

  test("is an error with the kubelet's words when it stays lost", async () => {
    server.answer(text(lost));
    const { reports } = await clusterAt(server.url);

    await expect(reports.log('agents', 'davit-x', 'agent', tail)).rejects.toMatchObject({
      name: 'TransientError',
      code: 'ClusterFault',
      detail: `get pods/log at ${server.url}: ${lost}`,
    });
    expect(server.requests).toHaveLength(2);
  });

  test('may quote these words', async () => {
    server.answer(text(`${lost}\nby kubectl\n`));
    const { reports } = await clusterAt(server.url);

    expect(await reports.log('agents', 'davit-x', 'agent', tail)).toBe(`${lost}\nby kubectl\n`);
  });

  test.each([
    { fact: 'whose Pod is gone', answer: refusal(404, 'NotFound', 'pods "davit-x" not found') },
    {
      fact: 'that was never started',
      answer: refusal(400, 'BadRequest', 'container "agent" in pod "davit-x" is waiting to start: ContainerCreating'),
    },
  ])('$fact is undefined', async ({ answer }) => {
    server.answer(answer);
    const { reports } = await clusterAt(server.url);

    expect(await reports.log('agents', 'davit-x', 'agent', tail)).toBeUndefined();
  });
});

import type { ResourceName } from '../../../../sandbox/cluster-store.ts';
import { MemoryStore } from '../../../../sandbox/store/memory-store.ts';
import { podDraft, serviceDraft } from './start-test-api.ts';

let store: MemoryStore;
beforeEach(() => {
  store = new MemoryStore();
});
afterEach(() => store.close());

function quota(hard: Record<string, string>): void {
  const metadata = { name: 'agents', namespace: 'default' };
  store.create('resourcequotas', { apiVersion: 'v1', kind: 'ResourceQuota', metadata, spec: { hard } });
}

const used = () => store.get('resourcequotas', 'default', 'agents')?.status?.['used'];
const asking = (cpu: string) => ({ containers: [{ name: 'agent', image: 'a', resources: { requests: { cpu } } }] });

test('a quota counts what is there, and no Pod that is over', () => {
  store.create('pods', podDraft('a'));
  quota({ pods: '3', 'services.nodeports': '5', 'requests.cpu': '2' });
  store.create('pods', podDraft('b', asking('1500m')));
  store.create('services', serviceDraft('b'));
  const both = used();
  const over = store.get('pods', 'default', 'b');
  if (over !== undefined) store.updateStatus('pods', over, (status) => ({ ...status, phase: 'Succeeded' }));

  expect(both).toEqual({ pods: '2', 'services.nodeports': '1', 'requests.cpu': '1.5' });
  expect(used()).toEqual({ pods: '1', 'services.nodeports': '1', 'requests.cpu': '0' });
});

test.each<[string, Record<string, string>, ResourceName, object, string]>([
  [
    'one Pod too many',
    { pods: '1' },
    'pods',
    podDraft('b'),
    'pods "b" is forbidden: exceeded quota: agents, requested: pods=1, used: pods=1, limited: pods=1',
  ],
  [
    'too much cpu',
    { 'requests.cpu': '2' },
    'pods',
    podDraft('b', asking('3')),
    'pods "b" is forbidden: exceeded quota: agents, requested: requests.cpu=3, used: requests.cpu=0, limited: requests.cpu=2',
  ],
  [
    'a Pod that does not say what it asks for',
    { 'requests.cpu': '2' },
    'pods',
    podDraft('b'),
    'pods "b" is forbidden: failed quota: agents: must specify requests.cpu for: agent',
  ],
  [
    'a Service where there may be none',
    { services: '0' },
    'services',
    serviceDraft('b'),
    'services "b" is forbidden: exceeded quota: agents, requested: services=1, used: services=0, limited: services=0',
  ],
])('a quota refuses %s', (_what, hard, resource, draft, message) => {
  store.create('pods', podDraft('a'));
  quota(hard);

  expect(() => store.create(resource, draft as ReturnType<typeof podDraft>)).toThrow(message);
});

test('there is room again once a Pod is gone', () => {
  quota({ pods: '1' });
  store.create('pods', podDraft('a'));
  store.delete('pods', 'default', 'a', { gracePeriodSeconds: 0 });

  expect(store.create('pods', podDraft('b')).metadata.name).toBe('b');
});

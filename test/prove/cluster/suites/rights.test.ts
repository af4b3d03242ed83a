import { randomUUID } from 'node:crypto';
import { namespaceRules } from '../../../../cdk/rbac/rules.ts';
import { agentService } from '../../../../core/agent/agent-objects.ts';
import type { Manifest } from '../../../../core/pod/manifest.ts';
import { openApi } from '../../../contract/api-client.ts';
import { newName, openKubeconfig, podManifest, serviceManifest } from '../../../contract/cluster-objects.ts';
import { planOf } from '../../../contract/launch-fixtures.ts';
import { apply } from '../apply.ts';
import { createDavitAccount } from '../davit-account.ts';
import { idleImage as image } from '../images/images.ts';
import { openTestCluster } from '../test-cluster.ts';
import { until } from '../until.ts';

const cluster = await openTestCluster();
const namespace = 'davit-rights';
const timeoutMs = 30_000;

const admin = openApi(cluster.kubeconfig);
const account = await createDavitAccount(cluster, admin, namespace);
const davit = await openKubeconfig(account.kubeconfig);
afterEach(() => account.restore());
afterAll(() => admin[Symbol.dispose]());

const uses: Readonly<Record<string, () => Promise<unknown>>> = {
  'create services': () => davit.services.create(davitService()),
  'get services': () => davit.services.get(namespace, newName()),
  'list services': () => davit.services.list(namespace, { contract: 'none' }),
  'watch services': () => watched('services'),
  'delete services': () => davit.services.delete(namespace, newName(), newName()),
  'create pods': () => davit.pods.create(podManifest(under(), newName())),
  'get pods': () => davit.pods.get(namespace, newName()),
  'list pods': () => davit.pods.list(namespace, { contract: 'none' }),
  'watch pods': () => watched('pods'),
  'delete pods': () => davit.pods.delete(namespace, newName(), newName()),
  'list events': () => davit.reports.events(namespace, newName()),
  'get pods/log': () => davit.reports.log(namespace, newName(), 'agent', { lines: 1, bytes: 1024 }),
};

describe('davit with only the Role that it prints', () => {
  test('has every right that it needs, and needs every right that it has', async () => {
    const rights = namespaceRules.flatMap(({ resources, verbs }) =>
      resources.flatMap((resource) => verbs.map((verb) => `${verb} ${resource}`)),
    );

    expect(Object.keys(uses).toSorted()).toEqual(rights.toSorted());
    for (const [right, use] of Object.entries(uses)) {
      await expect(use().then(() => right)).resolves.toBe(right);
    }
  });

  test.each(Object.entries(uses))(
    'gets an error that names the missing right when it may not %s',
    async (right, use) => {
      const [verb = '', resource = ''] = right.split(' ');
      await apply(admin, roleWithout(verb, resource));

      // The API server applies a changed Role a moment later.
      const refusal = await until(`${right} is refused`, timeoutMs, () =>
        use().then(
          () => undefined,
          (error: unknown) => ({ error }),
        ),
      );

      expect(refusal.error).toMatchObject({ name: 'TerminalError', code: 'ClusterForbidden' });
      expect(String(refusal.error)).toContain(`cannot ${verb} resource "${resource}"`);
    },
  );

  test('may not read a Secret, change a Pod, read a Node, or do anything in another namespace', async () => {
    using api = openApi(account.kubeconfig);
    const change = { method: 'PATCH', body: {}, contentType: 'application/merge-patch+json' } as const;

    const answers = await Promise.all([
      api.send(`/api/v1/namespaces/${namespace}/secrets`),
      api.send(`/api/v1/namespaces/${namespace}/pods/x`, change),
      api.send('/api/v1/nodes'),
      api.send('/api/v1/namespaces/default/pods'),
    ]);

    expect(answers.map(({ status }) => status)).toEqual([403, 403, 403, 403]);
  });
});

/** Changes to davit's Service that would let a thief of davit's credentials do more than launch agents. */
const beyondDavit = [
  { what: 'externalIPs', change: { spec: { externalIPs: ['192.0.2.1'] } }, words: 'no Services with externalIPs' },
  { what: 'type LoadBalancer', change: { spec: { type: 'LoadBalancer' } }, words: 'of type NodePort only' },
  {
    what: 'type ExternalName',
    change: { spec: { type: 'ExternalName', externalName: 'example.com', externalTrafficPolicy: undefined } },
    words: 'of type NodePort only',
  },
  { what: 'a loadBalancerIP', change: { spec: { loadBalancerIP: '192.0.2.1' } }, words: 'with a load balancer' },
  { what: 'no label of davit', change: { labels: {} }, words: 'app.kubernetes.io/managed-by: davit' },
  { what: 'a selector of other Pods', change: { spec: { selector: { app: 'x' } } }, words: 'of their own name' },
];

describe("the policy for davit's Services", () => {
  test("admits davit's own Service", async () => {
    const manifest = davitService();

    expect(await davit.services.create(manifest)).toMatchObject({ metadata: { name: manifest.metadata.name } });
  });

  test.each(beyondDavit)('refuses a Service with $what, in its own words', async ({ change, words }) => {
    const refusal = await until('the policy is in force', timeoutMs, () =>
      davit.services.create(davitService(change)).then(
        () => undefined,
        (error: unknown) => ({ error }),
      ),
    );

    expect(refusal.error).toMatchObject({ name: 'TerminalError', code: 'AdmissionDenied' });
    expect(String(refusal.error)).toContain('ValidatingAdmissionPolicy');
    expect(String(refusal.error)).toContain(words);
  });

  test('does not restrict other users', async () => {
    const asAdmin = await openKubeconfig(cluster.kubeconfig);

    const made = await asAdmin.services.create(davitService({ spec: { externalIPs: ['192.0.2.1'] } }));

    expect(made).toBeDefined();
    if (made !== undefined) await asAdmin.services.delete(namespace, made.metadata.name, made.metadata.uid);
  });
});

/** The Service of a new launch, as davit creates it, with changes. */
function davitService({ labels, spec = {} }: { labels?: Record<string, string>; spec?: object } = {}): Manifest {
  const { metadata, ...service } = agentService(planOf(`api-${randomUUID()}`, { namespace }));
  return { ...service, metadata: { ...metadata, ...(labels && { labels }) }, spec: { ...service.spec, ...spec } };
}

const under = () => ({ cluster: davit, namespace, image });

function roleWithout(verb: string, resource: string): object {
  const rules = namespaceRules.flatMap(({ apiGroups, resources, verbs }) =>
    resources.map((each) => ({
      apiGroups,
      resources: [each],
      verbs: each === resource ? verbs.filter((other) => other !== verb) : verbs,
    })),
  );
  return {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'Role',
    metadata: { name: 'davit', namespace },
    rules: rules.filter(({ verbs }) => verbs.length > 0),
  };
}

/** Watches an existing object: without one, davit's read fails before it watches. */
async function watched(kind: 'services' | 'pods'): Promise<unknown> {
  const name = newName();
  const manifest = kind === 'services' ? serviceManifest(under(), name) : podManifest(under(), name);
  const asAdmin = await openKubeconfig(cluster.kubeconfig);
  const made = await asAdmin[kind].create(manifest);
  if (made === undefined) throw new Error(`there is a ${name} already`);
  const { uid, resourceVersion: since } = made.metadata;
  try {
    const changes: AsyncIterable<unknown> = davit[kind].observe(namespace, name, { since, forMs: 500 });
    return await Array.fromAsync(changes);
  } finally {
    await asAdmin[kind].delete(namespace, name, uid);
  }
}

import * as z from 'zod';
import type { ApiClient } from '../../../contract/api-client.ts';
import { create } from '../node-objects.ts';
import { until } from '../until.ts';
import type { AdmissionWebhook } from './admission-webhook.ts';
import { remove } from './change-object.ts';

const group = '/apis/admissionregistration.k8s.io/v1';
const nameLabel = 'kubernetes.io/metadata.name';

const timeoutMs = 60_000;
const Quota = z.object({ status: z.object({ hard: z.record(z.string(), z.string()) }) });

/** Makes a namespace that accepts Pods. */
export async function makeNamespace(api: ApiClient, name: string, labels: Record<string, string> = {}): Promise<void> {
  await create(api, '/api/v1/namespaces', { metadata: { name, labels } });
  const account = `/api/v1/namespaces/${name}/serviceaccounts/default`;
  await until(`${name} has an account`, timeoutMs, async () => (await api.send(account)).status === 200);
}

/** Makes a quota named none in a namespace. It takes effect once Kubernetes has counted the existing objects. */
export async function makeQuota(api: ApiClient, namespace: string, hard: Record<string, string>): Promise<void> {
  const path = `/api/v1/namespaces/${namespace}/resourcequotas`;
  await create(api, path, { metadata: { name: 'none' }, spec: { hard } });
  await until(`the quota of ${namespace} holds`, timeoutMs, async () => {
    return Quota.safeParse((await api.send(`${path}/none`)).body).success;
  });
}

/**
 * Makes namespaces that refuse a launch, each in its own way: counted, small, restricted, no-pods, no-services, denied,
 * numbered, unheard, heard-late, ending.
 *
 * @param nowhere an address without a listener
 */
export async function makePolicedNamespaces(api: ApiClient, webhook: AdmissionWebhook, nowhere: string): Promise<void> {
  const plain = ['counted', 'small', 'no-pods', 'no-services', 'denied', 'numbered', 'unheard', 'heard-late'];
  await Promise.all([
    ...plain.map((name) => makeNamespace(api, name)),
    makeNamespace(api, 'restricted', { 'pod-security.kubernetes.io/enforce': 'restricted' }),
  ]);
  await makeQuota(api, 'counted', { 'requests.cpu': '1' });
  await create(api, '/api/v1/namespaces/small/limitranges', {
    metadata: { name: 'none' },
    spec: { limits: [{ type: 'Container', max: { memory: '32Mi' } }] },
  });
  await makePolicy(api, 'no-pods', 'pods');
  await makePolicy(api, 'no-services', 'services');
  await makeWebhook(api, 'denied', 'validating', 'pods', webhook.clientConfigOf('/denied'));
  await makeWebhook(api, 'numbered', 'mutating', 'services', webhook.clientConfigOf('/numbered'));
  for (const name of ['unheard', 'heard-late']) await makeWebhook(api, name, 'validating', 'pods', { url: nowhere });
  const taken = { type: 'NodePort', ports: [{ port: 80, nodePort: 32_000 }] };
  await create(api, '/api/v1/namespaces/default/services', { metadata: { name: 'taken' }, spec: taken });
  await makeEndingNamespace(api);
  await Promise.all(Object.entries(refused).map(([name, resource]) => untilRefused(api, name, resource)));
}

/** The resource that each namespace refuses. */
const refused: Readonly<Record<string, 'pods' | 'services'>> = {
  counted: 'pods',
  small: 'pods',
  restricted: 'pods',
  'no-pods': 'pods',
  'no-services': 'services',
  denied: 'pods',
  numbered: 'services',
  unheard: 'pods',
  'heard-late': 'pods',
};

const specOf = {
  pods: { containers: [{ name: 'any', image: 'any', resources: { limits: { memory: '64Mi' } } }] },
  services: { type: 'NodePort', ports: [{ port: 80 }] },
};

/** Waits until the API server refuses the resource: it learns of a new rule a moment later. */
async function untilRefused(api: ApiClient, namespace: string, resource: 'pods' | 'services'): Promise<void> {
  const path = `/api/v1/namespaces/${namespace}/${resource}?dryRun=All`;
  const body = { metadata: { name: 'any' }, spec: specOf[resource] };
  await until(`${namespace} refuses ${resource}`, timeoutMs, async () => {
    const { status } = await api.send(path, { method: 'POST', body });
    return status >= 400;
  });
}

/** Points a namespace's validating webhook to another address. */
export async function repairWebhook(api: ApiClient, namespace: string, clientConfig: object): Promise<void> {
  const path = `${group}/validatingwebhookconfigurations/${namespace}`;
  const body = [{ op: 'replace', path: '/webhooks/0/clientConfig', value: clientConfig }];
  const answer = await api.send(path, { method: 'PATCH', body, contentType: 'application/json-patch+json' });
  if (answer.status !== 200) throw new Error(`PATCH ${path}: ${answer.status} ${answer.text}`);
}

/** A namespace that stays in deletion while it contains another client's object with a finalizer. */
async function makeEndingNamespace(api: ApiClient): Promise<void> {
  await makeNamespace(api, 'ending');
  const metadata = { name: 'kept', finalizers: ['davit.dev/test'] };
  await create(api, '/api/v1/namespaces/ending/configmaps', { metadata });
  await remove(api, '/api/v1/namespaces/ending');
}

const createOf = (resource: string) => ({
  apiGroups: [''],
  apiVersions: ['v1'],
  operations: ['CREATE'],
  resources: [resource],
});

async function makePolicy(api: ApiClient, namespace: string, resource: string): Promise<void> {
  const metadata = { name: namespace };
  await create(api, `${group}/validatingadmissionpolicies`, {
    metadata,
    spec: {
      failurePolicy: 'Fail',
      matchConstraints: { resourceRules: [createOf(resource)] },
      validations: [{ expression: 'false', message: 'no agents here' }],
    },
  });
  await create(api, `${group}/validatingadmissionpolicybindings`, {
    metadata,
    spec: {
      policyName: namespace,
      validationActions: ['Deny'],
      matchResources: { namespaceSelector: { matchLabels: { [nameLabel]: namespace } } },
    },
  });
}

async function makeWebhook(
  api: ApiClient,
  namespace: string,
  kind: 'validating' | 'mutating',
  resource: string,
  clientConfig: object,
): Promise<void> {
  await create(api, `${group}/${kind}webhookconfigurations`, {
    metadata: { name: namespace },
    webhooks: [
      {
        name: `${namespace}.davit.dev`,
        admissionReviewVersions: ['v1'],
        sideEffects: 'None',
        failurePolicy: 'Fail',
        clientConfig,
        namespaceSelector: { matchLabels: { [nameLabel]: namespace } },
        rules: [createOf(resource)],
      },
    ],
  });
}

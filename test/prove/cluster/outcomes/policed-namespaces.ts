import * as z from 'zod';
import type { ApiClient } from '../../../contract/api-client.ts';
import { create } from '../node-objects.ts';
import { until } from '../until.ts';
import type { AdmissionWebhook } from './admission-webhook.ts';
import { change, operate, remove } from './change-object.ts';

const group = '/apis/admissionregistration.k8s.io/v1';
const nameLabel = 'kubernetes.io/metadata.name';

const timeoutMs = 60_000;
const Quota = z.object({ status: z.object({ hard: z.record(z.string(), z.string()) }) });

/** Makes a namespace that accepts Pods. */
export async function makeNamespace(api: ApiClient, name: string): Promise<void> {
  await create(api, '/api/v1/namespaces', { metadata: { name } });
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
 * Makes namespaces that refuse a launch's Pod, each in its own way; `no-services` refuses its Service, and `ending` is being
 * deleted.
 *
 * @param nowhere an address without a listener
 */
export async function makePolicedNamespaces(api: ApiClient, webhook: AdmissionWebhook, nowhere: string): Promise<void> {
  const limited = { limits: [{ type: 'Container', max: { memory: '32Mi' } }] };
  const labels = { 'pod-security.kubernetes.io/enforce': 'restricted' };
  const unheard = (name: string) => makeWebhook(api, name, 'pods', { url: nowhere });
  const rules: Readonly<Record<string, (name: string) => Promise<void>>> = {
    counted: (name) => makeQuota(api, name, { 'requests.cpu': '1' }),
    small: (name) =>
      create(api, `/api/v1/namespaces/${name}/limitranges`, { metadata: { name: 'none' }, spec: limited }),
    restricted: (name) => change(api, `/api/v1/namespaces/${name}`, { metadata: { labels } }),
    'no-pods': (name) => makePolicy(api, name, 'pods'),
    'no-services': (name) => makePolicy(api, name, 'services'),
    denied: (name) => makeWebhook(api, name, 'pods', webhook.clientConfigOf('/denied')),
    unheard,
    'heard-late': unheard,
  };
  const made = Object.entries(rules).map(async ([name, makeRule]) => {
    await makeNamespace(api, name);
    await makeRule(name);
    await untilRefused(api, name, name === 'no-services' ? 'services' : 'pods');
  });
  await Promise.all([...made, makeEndingNamespace(api)]);
}

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
  await operate(api, path, { op: 'replace', path: '/webhooks/0/clientConfig', value: clientConfig });
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

/** Makes a webhook for the new objects of a kind in a namespace, of whose name it is. */
export async function makeWebhook(
  api: ApiClient,
  namespace: string,
  resource: string,
  clientConfig: object,
): Promise<void> {
  await create(api, `${group}/validatingwebhookconfigurations`, {
    metadata: { name: namespace },
    webhooks: [
      {
        name: `${namespace}.davit.dev`,
        admissionReviewVersions: ['v1'],
        sideEffects: 'None',
        failurePolicy: 'Fail',
        timeoutSeconds: 30,
        clientConfig,
        namespaceSelector: { matchLabels: { [nameLabel]: namespace } },
        rules: [createOf(resource)],
      },
    ],
  });
}

import * as z from 'zod';
import { clusterObjects } from '../../cdk/rbac/cluster-objects.ts';
import type { KubernetesManifest } from '../../cdk/rbac/kubernetes-object.ts';
import type { Config } from '../../functions/domain/config.ts';
import { kubeconfigText } from '../../local/cluster/kubeconfig.ts';
import { namespace } from '../cluster/credentials.ts';
import { until } from '../cluster/until.ts';
import type { ApiClient } from '../contract/api-client.ts';

const account = { kind: 'ServiceAccount', name: 'davit', namespace: 'davit-system' } as const;

/** davit's name in the API server's audit log. */
export const davitUser = `system:serviceaccount:${account.namespace}:${account.name}`;

/** More than a bench or a chaos ever has at once. */
const maxAgents = 20_000;
const timeoutMs = 30_000;

const TokenSecret = z.object({ data: z.object({ token: z.string(), 'ca.crt': z.string() }) });

/**
 * Sets a cluster up for davit, as `npm run rbac` tells platform teams to.
 *
 * @param url the API server's
 * @returns a kubeconfig with davit's own rights and no others
 * @throws Error with the server's answer when it refuses an object
 */
export async function setUpDavit(api: ApiClient, url: string, config: Config): Promise<string> {
  const [cluster] = config.clusters;
  if (cluster === undefined) throw new Error('the config has no cluster');
  for (const object of clusterObjects(config, cluster.name, account, { maxAgents })) await apply(api, object);
  const secret = `/api/v1/namespaces/${account.namespace}/secrets/${account.name}-token`;
  const { data } = await until('davit has a token', timeoutMs, async () => {
    return TokenSecret.safeParse((await api.send(secret)).body).data;
  });
  const decoded = (text: string) => Buffer.from(text, 'base64').toString();
  return kubeconfigText({ url, caPem: decoded(data['ca.crt']), token: decoded(data.token), namespace });
}

/** @see https://kubernetes.io/docs/reference/using-api/server-side-apply/ */
async function apply(api: ApiClient, object: KubernetesManifest): Promise<void> {
  const path = `${collectionOf(object)}/${object.metadata.name}?fieldManager=set-up&force=true`;
  const answer = await api.send(path, { method: 'PATCH', body: object, contentType: 'application/apply-patch+yaml' });
  if (answer.status >= 300) throw new Error(`PATCH ${path}: ${answer.status} ${answer.text}`);
}

function collectionOf({ apiVersion, kind, metadata }: KubernetesManifest): string {
  const group = apiVersion === 'v1' ? '/api/v1' : `/apis/${apiVersion}`;
  const within = metadata.namespace === undefined ? '' : `/namespaces/${metadata.namespace}`;
  return `${group}${within}/${kind.toLowerCase()}s`;
}

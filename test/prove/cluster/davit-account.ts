import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import * as z from 'zod';
import { kubeconfigText } from '../../../sandbox/kubeconfig.ts';
import type { ApiClient } from '../../contract/api-client.ts';
import { apply } from './apply.ts';
import type { Cluster } from './cluster.ts';
import { run } from './run.ts';
import { until } from './until.ts';

/** davit's access as a platform team grants it: the output of `npx davit rbac`, in a new namespace. */
export interface DavitAccount {
  /** davit's own client: it has only the printed rights. */
  kubeconfig: string;
  restore(): Promise<void>;
}

/** The token from the printed Secret. */
export const davitToken = { name: 'davit-token', namespace: 'davit-system' } as const;

const TokenSecret = z.object({ data: z.object({ token: z.string(), 'ca.crt': z.string() }) });
const timeoutMs = 30_000;

/**
 * Applies the manifests that davit prints for its own config, in another namespace, and logs in with their token.
 *
 * @param api with full rights
 */
export async function createDavitAccount(cluster: Cluster, api: ApiClient, namespace: string): Promise<DavitAccount> {
  const manifests = await printedFor(namespace);
  const restore = async () => {
    for (const manifest of manifests) await apply(api, manifest);
  };
  await restore();
  return { kubeconfig: await kubeconfigOf(davitToken, cluster.apiUrl, api), restore };
}

/**
 * Makes a ServiceAccount's kubeconfig from its token Secret, once Kubernetes has filled the Secret.
 *
 * @param url the API server's
 */
export async function kubeconfigOf(
  secret: { name: string; namespace: string },
  url: string,
  api: ApiClient,
): Promise<string> {
  const { name, namespace } = secret;
  const { data } = await until(`${name} has a token`, timeoutMs, async () => {
    return TokenSecret.safeParse((await api.send(`/api/v1/namespaces/${namespace}/secrets/${name}`)).body).data;
  });
  return kubeconfigText({ url, caPem: decoded(data['ca.crt']), token: decoded(data.token), namespace });
}

/** Makes an account with these rights in its namespace. @returns its kubeconfig */
export async function createAccount(
  { apiUrl }: Pick<Cluster, 'apiUrl'>,
  api: ApiClient,
  metadata: { name: string; namespace: string },
  rules: readonly object[],
): Promise<string> {
  const group = 'rbac.authorization.k8s.io';
  const subjects = [{ kind: 'ServiceAccount', ...metadata }];
  const roleRef = { apiGroup: group, kind: 'Role', name: metadata.name };
  const annotations = { 'kubernetes.io/service-account.name': metadata.name };
  const type = 'kubernetes.io/service-account-token';
  // Kubernetes deletes a token's Secret that exists before its account.
  await apply(api, { apiVersion: 'v1', kind: 'ServiceAccount', metadata });
  await apply(api, { apiVersion: `${group}/v1`, kind: 'Role', metadata, rules });
  await apply(api, { apiVersion: `${group}/v1`, kind: 'RoleBinding', metadata, roleRef, subjects });
  await apply(api, { apiVersion: 'v1', kind: 'Secret', type, metadata: { ...metadata, annotations } });
  return kubeconfigOf(metadata, apiUrl, api);
}

const decoded = (base64: string): string => Buffer.from(base64, 'base64').toString();

async function printedFor(namespace: string): Promise<object[]> {
  const directory = await mkdtemp(join(tmpdir(), 'davit-rights-'));
  try {
    const config = join(directory, 'davit.yaml');
    const own = await readFile('davit.yaml', 'utf8');
    await writeFile(config, own.replaceAll('namespace: davit-agents', `namespace: ${namespace}`));
    const text = await run(process.execPath, ['cli/rbac.ts', '--config', config]);
    return parseAllDocuments(text).map((document) => z.looseObject({}).parse(document.toJS()));
  } finally {
    await rm(directory, { recursive: true });
  }
}

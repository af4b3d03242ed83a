import { validateHeaderValue } from 'node:http';
import { type Cluster, KubeConfig, loadYaml, type User } from '@kubernetes/client-node';
import * as z from '../../core/zod.ts';
import { checkTls } from './check-tls.ts';
import type { ClusterAccess } from './cluster-access.ts';

/** The text is not a kubeconfig, or not one that a Lambda can use. The message quotes no part of it. */
export class KubeconfigError extends Error {
  override readonly name = 'KubeconfigError';
}

const notInLambda = 'in a Lambda, a token or a certificate has to be in the kubeconfig itself';
const actsAsDavit = 'davit acts as no other user';
/** Keys that a Lambda cannot use, or that would make davit reach another server or act as another user. */
const refusedKeys: Readonly<Record<'cluster' | 'user', Readonly<Record<string, string>>>> = {
  cluster: {
    'certificate-authority': 'a file; put its content into certificate-authority-data',
    'proxy-url': 'davit reaches clusters without a proxy',
  },
  user: {
    exec: `a program; ${notInLambda}, and \`eks\` in davit.yaml reaches an EKS cluster`,
    'auth-provider': `a program; ${notInLambda}`,
    tokenFile: `a file; ${notInLambda}`,
    'client-certificate': 'a file; put its content into client-certificate-data',
    'client-key': 'a file; put its content into client-key-data',
    username: 'API servers accept no password',
    as: actsAsDavit,
    'as-uid': actsAsDavit,
    'as-groups': actsAsDavit,
    'as-user-extra': actsAsDavit,
  },
};

/** The entries as written: the client drops keys that it does not know. */
const Written = z.object({
  clusters: z.array(z.object({ name: z.unknown(), cluster: z.unknown() })),
  users: z.array(z.object({ name: z.unknown(), user: z.unknown() })),
});
type Written = z.infer<typeof Written>;
const Fields = z.record(z.string(), z.unknown());

/**
 * Reads how the cluster of a kubeconfig's current context is reached.
 *
 * @param text YAML or JSON
 * @throws KubeconfigError
 * @see https://kubernetes.io/docs/reference/config-api/kubeconfig.v1/
 */
export function readKubeconfig(text: string): ClusterAccess {
  const written = parse(text);
  const config = load(text);
  const cluster = config.getCurrentCluster();
  const user = config.getCurrentUser();
  if (cluster === null) throw new KubeconfigError('its current context names no cluster that is in it');
  if (user === null) throw new KubeconfigError('its current context names no user that is in it');
  refuse('cluster', written?.clusters.find(({ name }) => name === cluster.name)?.cluster);
  refuse('user', written?.users.find(({ name }) => name === user.name)?.user);
  const token = tokenOf(user);
  const endpoint = endpointOf(cluster);
  checkCredentials({ caData: cluster.caData, certData: user.certData, keyData: user.keyData }, token);
  const kubeConfig = new KubeConfig();
  kubeConfig.loadFromClusterAndUser({ ...cluster, server: endpoint }, token === undefined ? user : { ...user, token });
  return {
    kubeConfig,
    endpoint,
    authenticatedBy: token === undefined ? 'a client certificate' : 'a bearer token',
    renewedBy: 'its secret was read a second time',
  };
}

/** @returns undefined for a text that has no such entries */
function parse(text: string): Written | undefined {
  const yaml = orRefuse(() => loadYaml<unknown>(text));
  if (typeof yaml !== 'object' || yaml === null || Array.isArray(yaml))
    throw new KubeconfigError('it is not a mapping');
  const { data } = Written.safeParse(yaml);
  if (data?.users.some(({ user }) => Fields.safeParse(user).data?.['token-file'] !== undefined)) {
    // kubectl does not know this key, but the client would read the file, even for a user other than the current one.
    throw new KubeconfigError(`one of its users has token-file: a file; ${notInLambda}`);
  }
  return data;
}

function load(text: string): KubeConfig {
  const config = new KubeConfig();
  orRefuse(() => config.loadFromString(text));
  return config;
}

/** The parser's words quote the secret. The client's own words name the entry. */
function orRefuse<Result>(read: () => Result): Result {
  try {
    return read();
  } catch (cause) {
    const words = cause instanceof Error ? cause.message : '';
    const missing = /^(clusters|users|contexts)\[\d+\]\S* is missing$/.exec(words);
    throw new KubeconfigError(missing?.[0] ?? 'it is no kubeconfig, in YAML or JSON');
  }
}

function refuse(what: 'cluster' | 'user', written: unknown): void {
  const fields = Fields.safeParse(written).data;
  if (fields === undefined) throw new KubeconfigError(`its ${what} is not a mapping`);
  for (const [key, why] of Object.entries(refusedKeys[what])) {
    if (!isEmpty(fields[key])) throw new KubeconfigError(`its ${what} has ${key}: ${why}`);
  }
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || value === '';
}

function tokenOf({ token }: User): string | undefined {
  const text = typeof token === 'string' ? token.trim() : '';
  if (text === '') return undefined;
  try {
    validateHeaderValue('authorization', text);
  } catch {
    // Without this check, the request would fail as a defect of davit's. Node's message quotes the token.
    throw new KubeconfigError('its token has a line end in it, or a character above U+00FF');
  }
  return text;
}

/** Reads where the API server is. A password in its URL would be in every error that names the endpoint. */
function endpointOf({ server, skipTLSVerify }: Cluster): string {
  const url = URL.parse(server);
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') {
    throw new KubeconfigError('the server of its current context is no https: or http: URL, or has a user in it');
  }
  if (url.protocol === 'http:' && !skipTLSVerify) {
    throw new KubeconfigError('its server is reached without TLS, which insecure-skip-tls-verify does not allow');
  }
  return server.replace(/\/+$/, '');
}

function checkCredentials(tls: Parameters<typeof checkTls>[0], token: string | undefined): void {
  if (token === undefined && !(tls.certData && tls.keyData)) {
    throw new KubeconfigError('its user has no token, and no client-certificate-data with client-key-data');
  }
  try {
    checkTls(tls);
  } catch (cause) {
    throw new KubeconfigError('a certificate or a key in it is no PEM in base64', { cause });
  }
}

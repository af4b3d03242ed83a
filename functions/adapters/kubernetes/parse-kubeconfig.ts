import { validateHeaderValue } from 'node:http';
import * as z from '../../zod.ts';
import type { ClusterAccess } from './cluster-access.ts';
import { secureContextOf } from './secure-context.ts';

/** A text that is no kubeconfig, or one that a Lambda cannot use. The message quotes nothing of it. */
export class KubeconfigError extends Error {
  override readonly name = 'KubeconfigError';
}

const Entries = <Of extends string>(of: Of) =>
  z.array(z.intersection(z.object({ name: z.string() }), z.record(z.literal(of), z.unknown())));

const Kubeconfig = z.object({
  'current-context': z.string().check(z.minLength(1)),
  contexts: Entries('context'),
  clusters: Entries('cluster'),
  users: Entries('user'),
});
const Context = z.object({ cluster: z.string(), user: z.string() });

const Cluster = z.object({
  server: z.string(),
  'certificate-authority-data': z.optional(z.base64()),
  'insecure-skip-tls-verify': z.withDefault(z.boolean(), false),
  'tls-server-name': z.optional(z.string()),
});
type Cluster = z.infer<typeof Cluster>;

const User = z.object({
  token: z.optional(z.string()),
  'client-certificate-data': z.optional(z.base64()),
  'client-key-data': z.optional(z.base64()),
});
type User = z.infer<typeof User>;

const notInLambda = 'in a Lambda, a token or a certificate has to be in the kubeconfig itself';
/** What a kubeconfig may say, and davit must not pass over: it would reach another server, or be somebody else there. */
const refusedKeys: Readonly<Record<'cluster' | 'user', Readonly<Record<string, string>>>> = {
  cluster: {
    'certificate-authority': 'a file; put its content into certificate-authority-data',
    'proxy-url': 'which davit does not go by',
  },
  user: {
    exec: `a program; ${notInLambda}, and an EKS cluster is reached by \`eks\` in davit.yaml`,
    'auth-provider': `a program; ${notInLambda}`,
    tokenFile: `a file; ${notInLambda}`,
    'client-certificate': 'a file; put its content into client-certificate-data',
    'client-key': 'a file; put its content into client-key-data',
    username: 'which API servers do not take',
    as: 'which davit does not do',
    'as-uid': 'which davit does not do',
    'as-groups': 'which davit does not do',
    'as-user-extra': 'which davit does not do',
  },
};

/**
 * Reads how the cluster of a kubeconfig's current context is reached.
 *
 * @param text YAML or JSON
 * @throws KubeconfigError
 * @see https://kubernetes.io/docs/reference/config-api/kubeconfig.v1/
 */
export async function parseKubeconfig(text: string): Promise<ClusterAccess> {
  const config = checked(Kubeconfig, await parseYaml(text), []);
  const context = checked(Context, entryOf(config.contexts, config['current-context'], 'context'), ['context']);
  const cluster = checked(Cluster, entryOf(config.clusters, context.cluster, 'cluster'), ['cluster']);
  const user = checked(User, entryOf(config.users, context.user, 'user'), ['user']);
  const token = user.token?.trim();
  return {
    endpoint: endpointOf(cluster),
    tls: tlsOf(cluster, user),
    authorization: authorizationOf(token),
    authenticatedBy: token ? 'a bearer token' : 'a client certificate',
    renewedBy: 'its secret was read anew',
  };
}

/** JSON is YAML too; the parser of YAML is loaded only when it is needed. */
async function parseYaml(text: string): Promise<unknown> {
  const isJson = text.trimStart().startsWith('{');
  const parseWith = isJson ? undefined : (await import('yaml')).parse;
  try {
    return parseWith === undefined ? JSON.parse(text) : parseWith(text, { logLevel: 'error' });
  } catch (cause) {
    // The parser's own words could quote the secret.
    throw new KubeconfigError('it is neither YAML nor JSON', { cause });
  }
}

function checked<Schema extends z.ZodMiniType>(schema: Schema, found: unknown, at: readonly string[]): z.infer<Schema> {
  const parsed = schema.safeParse(found);
  if (parsed.success) return parsed.data;
  const path = [...at, ...(parsed.error.issues[0]?.path ?? [])].join('.');
  throw new KubeconfigError(path === '' ? 'it is not a mapping' : `${path} is missing, or not what it should be`);
}

type Entry<Of extends string> = { name: string } & Partial<Record<Of, unknown>>;

function entryOf<Of extends 'context' | 'cluster' | 'user'>(
  entries: readonly Entry<Of>[],
  wanted: string,
  of: Of,
): unknown {
  const entry = entries.find(({ name }) => name === wanted);
  if (entry === undefined) throw new KubeconfigError(`its current context names a ${of} that is not in it`);
  return of === 'context' ? entry[of] : withoutRefused(entry[of], of);
}

function withoutRefused(found: unknown, of: 'cluster' | 'user'): unknown {
  const keys = z.record(z.string(), z.unknown()).safeParse(found).data ?? {};
  for (const [key, why] of Object.entries(refusedKeys[of])) {
    if (keys[key] !== undefined && keys[key] !== null && keys[key] !== '') {
      throw new KubeconfigError(`its ${of} has ${key}: ${why}`);
    }
  }
  return found;
}

/** Reads where the API server is. A password in its URL would be in every error that names the endpoint. */
function endpointOf({ server, 'insecure-skip-tls-verify': isUnsafe }: Cluster): string {
  const url = URL.parse(server);
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') {
    throw new KubeconfigError('the server of its current context is no https: or http: URL, or has a user in it');
  }
  if (url.protocol === 'http:' && !isUnsafe) {
    throw new KubeconfigError('its server is reached without TLS, which insecure-skip-tls-verify does not allow');
  }
  return server.replace(/\/+$/, '');
}

function tlsOf(cluster: Cluster, user: User): ClusterAccess['tls'] {
  return {
    secureContext: trustOf(cluster, user),
    rejectUnauthorized: !cluster['insecure-skip-tls-verify'],
    ...(cluster['tls-server-name'] ? { servername: cluster['tls-server-name'] } : {}),
  };
}

function trustOf(cluster: Cluster, user: User): ReturnType<typeof secureContextOf> {
  const certificate = user['client-certificate-data'];
  const key = user['client-key-data'];
  if (!user.token?.trim() && !(certificate && key)) {
    throw new KubeconfigError('its user has no token, and no client-certificate-data with client-key-data');
  }
  try {
    return secureContextOf({ authority: cluster['certificate-authority-data'], certificate, key });
  } catch (cause) {
    throw new KubeconfigError('a certificate or a key in it is no PEM in base64', { cause });
  }
}

/** Left to the request, a header that cannot be sent would fail there, as a defect of davit's. */
function authorizationOf(token: string | undefined): ClusterAccess['authorization'] {
  if (!token) return async () => undefined;
  try {
    validateHeaderValue('authorization', token);
  } catch (cause) {
    throw new KubeconfigError('its token has a line end in it, or a character above U+00FF', { cause });
  }
  return async () => `Bearer ${token}`;
}

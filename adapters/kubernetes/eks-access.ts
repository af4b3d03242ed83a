import { KubeConfig } from '@kubernetes/client-node';
import type { EksAccess, EksCluster, EksServer } from '../../core/config/config.ts';
import { TerminalError } from '../../core/errors/errors.ts';
import { checkTls } from './check-tls.ts';
import type { AccessSource, ClusterAccess } from './cluster-access.ts';

/** How davit finds EKS clusters, and the tokens that it shows them. */
export interface EksSource {
  /** Asks EKS. @throws TerminalError EksClusterMissing, EksAccessDenied; TransientError */
  describe: (cluster: EksCluster) => Promise<EksServer>;
  /** Makes a bearer token, and says when to make the next one. */
  createToken: (eks: EksAccess) => Promise<{ token: string; renewAtEpochMs: number }>;
  nowEpochMs: () => number;
}

/** A cluster keeps its endpoint for life. But its authority may be rotated, and the cluster may be created again. */
const maxAgeMs = 5 * 60_000;

/**
 * Reaches an EKS cluster as the IAM role of the function. The API server's address comes from the config, or from EKS
 * less than five minutes ago.
 *
 * @returns a source that throws what `describe` throws, and TerminalError EksClusterMissing for an invalid certificate
 */
export function eksAccess(source: EksSource, cluster: EksCluster): AccessSource {
  const { server } = cluster.eks;
  let known: { server: EksServer; readAtEpochMs: number; access: ClusterAccess } | undefined;

  async function find(): Promise<EksServer> {
    return server ?? (await source.describe(cluster));
  }
  async function refresh(): Promise<ClusterAccess> {
    const readAtEpochMs = source.nowEpochMs();
    const found = await find();
    known = { server: found, readAtEpochMs, access: accessTo(source, cluster, found) };
    return known.access;
  }
  return {
    read: async () => {
      if (known === undefined) return refresh();
      const now = source.nowEpochMs();
      if (now - known.readAtEpochMs < maxAgeMs) return known.access;
      const found = await find();
      if (!isSame(found, known.server)) return refresh();
      known = { ...known, readAtEpochMs: now };
      return known.access;
    },
    refresh,
  };
}

function isSame(one: EksServer, other: EksServer): boolean {
  return one.endpoint === other.endpoint && one.certificateAuthority === other.certificateAuthority;
}

function accessTo(source: EksSource, { name, eks }: EksCluster, server: EksServer): ClusterAccess {
  const endpoint = server.endpoint.replace(/\/+$/, '');
  checkAuthority(name, server);
  return {
    kubeConfig: kubeConfigOf(endpoint, server.certificateAuthority, tokens(source, eks)),
    endpoint,
    authenticatedBy: `the token of its IAM role for EKS cluster ${eks.clusterName}`,
    renewedBy: 'a new one was made',
  };
}

function kubeConfigOf(server: string, caData: string, authorization: () => Promise<string>): KubeConfig {
  const kubeConfig = new KubeConfig();
  kubeConfig.loadFromClusterAndUser(
    { name: 'eks', server, caData, skipTLSVerify: false },
    { name: 'davit', authProvider: { name: 'eks', config: {} } },
  );
  kubeConfig.addAuthenticator({
    isAuthProvider: ({ authProvider }) => authProvider?.name === 'eks',
    applyAuthentication: async (_user, options) => {
      options.headers = { ...options.headers, Authorization: await authorization() };
    },
  });
  return kubeConfig;
}

function checkAuthority(cluster: string, { endpoint, certificateAuthority }: EksServer): void {
  try {
    checkTls({ caData: certificateAuthority });
  } catch (cause) {
    const detail = `the certificate of the authority of ${endpoint} is no PEM in base64`;
    throw new TerminalError('EksClusterMissing', detail, { cluster }, { cause });
  }
}

/** Makes a token for the first call, and a new one before it expires. */
function tokens(source: EksSource, eks: EksAccess): () => Promise<string> {
  let known: { token: string; renewAtEpochMs: number } | undefined;
  return async () => {
    if (known === undefined || source.nowEpochMs() >= known.renewAtEpochMs) known = await source.createToken(eks);
    return `Bearer ${known.token}`;
  };
}

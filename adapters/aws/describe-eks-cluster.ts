import { DescribeClusterCommand, EKSClient, EKSServiceException } from '@aws-sdk/client-eks';
import type { EksAccess, EksServer } from '../../core/config/config.ts';
import { TerminalError, TransientError } from '../../core/errors/errors.ts';
import { type AwsSettings, clientSettings, davitErrors } from './client-settings.ts';

/** Makes a client of EKS. */
export function createEksClient(settings?: AwsSettings): EKSClient {
  const client = new EKSClient(clientSettings(settings));
  client.middlewareStack.use(davitErrors());
  return client;
}

/**
 * Asks EKS where a cluster's API server is: needs eks:DescribeCluster on it.
 *
 * @param cluster its name in the config, for errors
 * @throws TerminalError EksClusterMissing, EksAccessDenied; TransientError StoreUnavailable, and ClusterUnreachable for a
 *   cluster that is still being made
 * @see https://docs.aws.amazon.com/eks/latest/APIReference/API_DescribeCluster.html
 */
export async function describeEksCluster(client: EKSClient, cluster: string, eks: EksAccess): Promise<EksServer> {
  const { endpoint, certificateAuthority, status = 'unknown' } = await describe(client, cluster, eks);
  if (endpoint && certificateAuthority?.data) return { endpoint, certificateAuthority: certificateAuthority.data };
  const detail = `EKS DescribeCluster: cluster ${eks.clusterName} has no API server, its status is ${status}`;
  if (status === 'CREATING' || status === 'PENDING')
    throw new TransientError('ClusterUnreachable', detail, { cluster });
  throw new TerminalError('EksClusterMissing', detail, { cluster });
}

async function describe(client: EKSClient, cluster: string, { clusterName }: EksAccess) {
  try {
    const { cluster: described = {} } = await client.send(new DescribeClusterCommand({ name: clusterName }));
    return described;
  } catch (cause) {
    const code = cause instanceof EKSServiceException ? codes.get(cause.name) : undefined;
    if (!(cause instanceof EKSServiceException) || code === undefined) throw cause;
    const detail = `EKS DescribeCluster of ${clusterName} in ${await client.config.region()}: ${cause.name}: ${cause.message}`;
    throw new TerminalError(code, detail, { cluster }, { cause });
  }
}

/** IAM and EKS use different names for the same error. */
const codes = new Map<string, 'EksAccessDenied' | 'EksClusterMissing'>([
  ['AccessDeniedException', 'EksAccessDenied'],
  ['AccessDenied', 'EksAccessDenied'],
  ['ResourceNotFoundException', 'EksClusterMissing'],
]);

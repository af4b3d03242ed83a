import type { EksAccess, EksServer } from '../../domain/config.ts';
import { TerminalError, TransientError } from '../../domain/errors.ts';
import * as z from '../../zod.ts';
import type { AwsClient } from './aws-client.ts';
import { AwsError } from './aws-error.ts';

const Described = z.object({
  cluster: z.object({
    endpoint: z.optional(z.string()),
    certificateAuthority: z.optional(z.object({ data: z.optional(z.string()) })),
    status: z.optional(z.string()),
  }),
});

/**
 * Asks EKS where a cluster's API server is: needs eks:DescribeCluster on it.
 *
 * @param cluster its name in the config, for errors
 * @throws TerminalError EksClusterMissing, EksAccessDenied; TransientError StoreUnavailable, and ClusterUnreachable for a
 *   cluster that is still being made
 * @see https://docs.aws.amazon.com/eks/latest/APIReference/API_DescribeCluster.html
 */
export async function describeEksCluster(client: AwsClient, cluster: string, eks: EksAccess): Promise<EksServer> {
  const { endpoint, certificateAuthority, status = 'unknown' } = await describe(client, cluster, eks);
  if (endpoint && certificateAuthority?.data) return { endpoint, certificateAuthority: certificateAuthority.data };
  const says = `EKS DescribeCluster: cluster ${eks.clusterName} has no API server, its status is ${status}`;
  if (status === 'CREATING' || status === 'PENDING') throw new TransientError('ClusterUnreachable', says, { cluster });
  throw new TerminalError('EksClusterMissing', says, { cluster });
}

async function describe(client: AwsClient, cluster: string, { clusterName }: EksAccess) {
  const path = `/clusters/${encodeURIComponent(clusterName)}`;
  try {
    return Described.parse(await client.send('DescribeCluster', { method: 'GET', path })).cluster;
  } catch (cause) {
    const code = cause instanceof AwsError ? codes.get(cause.name) : undefined;
    if (!(cause instanceof AwsError) || code === undefined) throw cause;
    const says = `EKS DescribeCluster of ${clusterName} in ${client.region}: ${cause.name}: ${cause.message}`;
    throw new TerminalError(code, says, { cluster }, { cause });
  }
}

/** What the error is called depends on whether IAM or EKS says it. */
const codes = new Map<string, 'EksAccessDenied' | 'EksClusterMissing'>([
  ['AccessDeniedException', 'EksAccessDenied'],
  ['AccessDenied', 'EksAccessDenied'],
  ['ResourceNotFoundException', 'EksClusterMissing'],
]);

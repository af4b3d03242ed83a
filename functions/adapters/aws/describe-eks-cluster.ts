import { DescribeClusterCommand, EKSClient } from '@aws-sdk/client-eks';
import * as z from 'zod';
import type { EksAccess, EksServer } from '../../domain/config.ts';
import { TerminalError, TransientError } from '../../domain/errors.ts';
import { clientSettings } from './clients.ts';
import { callAws } from './to-transient.ts';

/** Makes the client of EKS. @param region of the cluster; the function's own when not given */
export function createEksClient(region: string | undefined): EKSClient {
  return new EKSClient({ ...clientSettings, ...(region === undefined ? {} : { region }) });
}

const SdkError = z.object({ name: z.string(), message: z.string() });

/**
 * Asks EKS where a cluster's API server is: needs eks:DescribeCluster on it.
 *
 * @param cluster its name in the config, for errors
 * @throws TerminalError EksClusterMissing, EksAccessDenied; TransientError StoreUnavailable, and ClusterUnreachable for a
 *   cluster that is still being made
 * @see https://docs.aws.amazon.com/eks/latest/APIReference/API_DescribeCluster.html
 */
export async function describeEksCluster(client: EKSClient, cluster: string, eks: EksAccess): Promise<EksServer> {
  const found = await describe(client, cluster, eks);
  const { endpoint, certificateAuthority, status = 'unknown' } = found.cluster ?? {};
  if (endpoint && certificateAuthority?.data) return { endpoint, certificateAuthority: certificateAuthority.data };
  const says = `EKS DescribeCluster: cluster ${eks.clusterName} has no API server, its status is ${status}`;
  if (status === 'CREATING' || status === 'PENDING') throw new TransientError('ClusterUnreachable', says, { cluster });
  throw new TerminalError('EksClusterMissing', says, { cluster });
}

async function describe(client: EKSClient, cluster: string, { clusterName }: EksAccess) {
  try {
    const command = new DescribeClusterCommand({ name: clusterName });
    return await callAws('EKS DescribeCluster', () => client.send(command));
  } catch (cause) {
    const error = SdkError.safeParse(cause).data;
    const code = codes.get(error?.name ?? '');
    if (error === undefined || code === undefined) throw cause;
    const region = await client.config.region();
    const says = `EKS DescribeCluster of ${clusterName} in ${region}: ${error.name}: ${error.message}`;
    throw new TerminalError(code, says, { cluster }, { cause });
  }
}

/** What the error is called depends on whether IAM or EKS says it. */
const codes = new Map<string, 'EksAccessDenied' | 'EksClusterMissing'>([
  ['AccessDeniedException', 'EksAccessDenied'],
  ['AccessDenied', 'EksAccessDenied'],
  ['ResourceNotFoundException', 'EksClusterMissing'],
]);

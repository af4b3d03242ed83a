import { EKSClient } from '@aws-sdk/client-eks';
import { describeEksCluster } from '../../adapters/aws/describe-eks-cluster.ts';
import { createEksToken } from '../../adapters/aws/eks-token.ts';
import type { EksCluster } from '../../core/config/config.ts';

/**
 * Makes a kubeconfig of an EKS cluster with the caller's own token: needs eks:DescribeCluster, unless davit.yaml has
 * the server's address.
 *
 * @param region for a cluster without one. @default the SDK's own
 * @throws TerminalError, TransientError, or the SDK's error when there are no credentials
 */
export async function eksKubeconfig({ name, eks }: EksCluster, region?: string): Promise<string> {
  const place = eks.region ?? region;
  const client = new EKSClient(place === undefined ? {} : { region: place });
  try {
    const { endpoint, certificateAuthority } = eks.server ?? (await describeEksCluster(client, name, eks));
    const credentials = await client.config.credentials();
    const homeRegion = await client.config.region();
    const { token } = await createEksToken({ credentials: () => credentials, homeRegion, nowEpochMs: Date.now }, eks);
    return JSON.stringify({
      apiVersion: 'v1',
      kind: 'Config',
      'current-context': name,
      contexts: [{ name, context: { cluster: name, user: 'caller' } }],
      clusters: [{ name, cluster: { server: endpoint, 'certificate-authority-data': certificateAuthority } }],
      users: [{ name: 'caller', user: { token } }],
    });
  } finally {
    client.destroy();
  }
}

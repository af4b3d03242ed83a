import { partition } from '@aws-sdk/core/client';
import { Sha256 } from '@smithy/core/checksum';
import { SignatureV4 } from '@smithy/signature-v4';
import type { EksAccess } from '../../domain/config.ts';
import type { RoleCredentials } from '../../environment.ts';

/** What makes tokens for EKS clusters. */
export interface EksTokenDeps {
  /** The credentials of the role, as they are now. */
  credentials: () => RoleCredentials;
  /** Of clusters that name none. */
  homeRegion: string;
  nowEpochMs: () => number;
}

/** A bearer token for one EKS cluster. */
export interface EksToken {
  /** A secret: it says who davit is to that cluster, until it expires. */
  token: string;
  /** From then on, a new one is to be made. The server takes this one for five minutes more. */
  renewAtEpochMs: number;
}

/** The server takes a token for 15 minutes from its signing; ten leave room for clocks that differ and slow calls. */
const useMs = 10 * 60_000;

/** What the URL says of itself, and kubectl's own `aws eks get-token` says too; the server allows up to 15 minutes. */
const urlExpiresSeconds = 60;

/**
 * Makes the token by which EKS knows an IAM role: the presigned URL of a call to STS, `GetCallerIdentity`, that the
 * cluster's authenticator makes in davit's place, and learns from the answer whose it was. The cluster's name is signed
 * along, so that no cluster can use the token at another. Nothing is sent to make it, and no permission is needed.
 *
 * @see https://github.com/kubernetes-sigs/aws-iam-authenticator#api-authorization-from-outside-a-cluster
 */
export async function createEksToken(deps: EksTokenDeps, eks: EksAccess): Promise<EksToken> {
  const signedAtEpochMs = deps.nowEpochMs();
  const region = eks.region ?? deps.homeRegion;
  const hostname = `sts.${region}.${partition(region).dnsSuffix}`;
  const signer = new SignatureV4({ service: 'sts', region, credentials: deps.credentials(), sha256: Sha256 });
  const { query = {} } = await signer.presign(
    {
      method: 'GET',
      protocol: 'https:',
      hostname,
      path: '/',
      query: { Action: 'GetCallerIdentity', Version: '2011-06-15' },
      headers: { host: hostname, 'x-k8s-aws-id': eks.clusterName },
    },
    { expiresIn: urlExpiresSeconds, signingDate: new Date(signedAtEpochMs) },
  );
  const search = Object.entries(query).map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`);
  const url = `https://${hostname}/?${search.join('&')}`;
  return {
    token: `k8s-aws-v1.${Buffer.from(url).toString('base64url')}`,
    renewAtEpochMs: signedAtEpochMs + useMs,
  };
}

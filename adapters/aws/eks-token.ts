import { partition } from '@aws-sdk/core/client';
import { Sha256 } from '@smithy/core/checksum';
import { SignatureV4 } from '@smithy/signature-v4';
import type { EksAccess } from '../../core/config/config.ts';
import type { RoleCredentials } from '../../runtime/environment.ts';

/** The dependencies of making tokens for EKS clusters. */
export interface EksTokenDeps {
  /** The credentials of the role, as they are now. */
  credentials: () => RoleCredentials;
  /** The region of clusters that name none. */
  homeRegion: string;
  nowEpochMs: () => number;
}

/** A bearer token for one EKS cluster. */
export interface EksToken {
  /** A secret: it identifies davit to that cluster, until it expires. */
  token: string;
  /** When to make a new token. The server accepts this one for five minutes longer. */
  renewAtEpochMs: number;
}

/**
 * The server accepts a token for 15 minutes after its signing. Ten minutes leave room for clock differences and slow
 * calls.
 */
const useMs = 10 * 60_000;

/** The URL's stated lifetime, as in kubectl's `aws eks get-token`. The server allows up to 15 minutes. */
const urlExpiresSeconds = 60;

/**
 * Makes the token by which EKS recognises an IAM role: the presigned URL of the STS call `GetCallerIdentity`. The
 * cluster's authenticator makes this call, and reads the role from the answer. The signature covers the cluster's name,
 * so that no cluster can use the token with another cluster. Making a token sends nothing and needs no permission.
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
  return { token: `k8s-aws-v1.${Buffer.from(url).toString('base64url')}`, renewAtEpochMs: signedAtEpochMs + useMs };
}

import { createEksToken } from '../../../../adapters/aws/eks-token.ts';
import type { EksAccess } from '../../../../core/config/config.ts';
import { type AuthenticatorOptions, type StsIdentity, verifyEksToken } from '../../../support/eks-authenticator.ts';

const signedAtEpochMs = Date.parse('2026-06-01T10:00:00Z');
const user: StsIdentity = {
  arn: 'arn:aws:iam::111122223333:user/davit',
  accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
};
const role: StsIdentity = {
  ...user,
  arn: 'arn:aws:sts::111122223333:assumed-role/davit/create-pod',
  accessKeyId: 'ASIAIOSFODNN7EXAMPLE',
  sessionToken: 'a/session+token==',
};

function tokenOf(identity: StsIdentity, eks: EksAccess = { clusterName: 'build-eu' }) {
  const deps = { credentials: () => identity, homeRegion: 'eu-central-1', nowEpochMs: () => signedAtEpochMs };
  return createEksToken(deps, eks);
}

function authenticator(changed: Partial<AuthenticatorOptions> = {}): AuthenticatorOptions {
  return {
    clusterName: 'build-eu',
    region: 'eu-central-1',
    identities: [user, role],
    nowEpochMs: () => signedAtEpochMs,
    ...changed,
  };
}

// Tokens that botocore 1.43.11 made as `aws eks get-token` does, at the same time.
const known = [
  {
    of: 'a user',
    identity: user,
    eks: { clusterName: 'build-eu' },
    url: 'https://sts.eu-central-1.amazonaws.com/?Action=GetCallerIdentity&Version=2011-06-15&X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20260601%2Feu-central-1%2Fsts%2Faws4_request&X-Amz-Date=20260601T100000Z&X-Amz-Expires=60&X-Amz-SignedHeaders=host%3Bx-k8s-aws-id&X-Amz-Signature=bf37b93deb2c34d1da00842748a4beda26cf25b64f04276bed921f29f0ef5bf6',
  },
  {
    of: 'a role, which has a session',
    identity: role,
    eks: { clusterName: 'build-eu' },
    url: 'https://sts.eu-central-1.amazonaws.com/?Action=GetCallerIdentity&Version=2011-06-15&X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=ASIAIOSFODNN7EXAMPLE%2F20260601%2Feu-central-1%2Fsts%2Faws4_request&X-Amz-Date=20260601T100000Z&X-Amz-Expires=60&X-Amz-SignedHeaders=host%3Bx-k8s-aws-id&X-Amz-Security-Token=a%2Fsession%2Btoken%3D%3D&X-Amz-Signature=93091669fa29c13485e5da715fb94ad1a302ee6e99b01a6b60ce1c565572c8ab',
  },
  {
    of: 'a cluster in another region, and in China',
    identity: user,
    eks: { clusterName: 'build-cn', region: 'cn-north-1' },
    url: 'https://sts.cn-north-1.amazonaws.com.cn/?Action=GetCallerIdentity&Version=2011-06-15&X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20260601%2Fcn-north-1%2Fsts%2Faws4_request&X-Amz-Date=20260601T100000Z&X-Amz-Expires=60&X-Amz-SignedHeaders=host%3Bx-k8s-aws-id&X-Amz-Signature=9cba17fc821bf5d04bdda9a1b5b5f5824b425bc758c737aaa8060c60a49320c9',
  },
];

test.each(known)('a token of $of equals the one that the AWS CLI makes', async ({ identity, eks, url }) => {
  const { token } = await tokenOf(identity, eks);

  const [, made = ''] = /^k8s-aws-v1\.([\w-]+)$/.exec(token) ?? [];
  const madeUrl = new URL(Buffer.from(made, 'base64url').toString());
  expect(madeUrl.origin + madeUrl.pathname).toBe(new URL(url).origin + new URL(url).pathname);
  expect(Object.fromEntries(madeUrl.searchParams)).toEqual(Object.fromEntries(new URL(url).searchParams));
});

describe('the authenticator', () => {
  test.each([user, role])('reads from a token its identity: $arn', async (identity) => {
    const { token } = await tokenOf(identity);

    expect(verifyEksToken(authenticator(), token).arn).toBe(identity.arn);
  });

  test('accepts a token for five minutes longer than davit uses it', async () => {
    const { token, renewAtEpochMs } = await tokenOf(role);
    const at = (nowEpochMs: number) => authenticator({ nowEpochMs: () => nowEpochMs });

    expect(renewAtEpochMs).toBe(signedAtEpochMs + 600_000);
    expect(verifyEksToken(at(renewAtEpochMs + 300_000), token).arn).toBe(role.arn);
    expect(() => verifyEksToken(at(renewAtEpochMs + 300_001), token)).toThrow('X-Amz-Date parameter is expired');
  });

  test.each<[what: string, changed: Partial<AuthenticatorOptions>, detail: string]>([
    ['for another cluster', { clusterName: 'other' }, 'SignatureDoesNotMatch'],
    ['of a revoked key', { identities: [user] }, 'InvalidClientTokenId'],
    ['of an expired session', { identities: [{ ...role, sessionToken: 'next' }] }, 'security token is invalid'],
    ['signed by another secret', { identities: [{ ...role, secretAccessKey: 'x' }] }, 'SignatureDoesNotMatch'],
    ['for another region', { region: 'us-east-1' }, 'unexpected hostname'],
  ])('refuses a token %s', async (_what, changed, detail) => {
    const { token } = await tokenOf(role);

    expect(() => verifyEksToken(authenticator(changed), token)).toThrow(detail);
  });
});

import { createHash, createHmac } from 'node:crypto';

/** An identity that STS knows: its access key, and its session token if it has one. */
export interface StsIdentity {
  arn: string;
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken?: string;
}

/** An authenticator's settings. */
export interface AuthenticatorOptions {
  /** The cluster that it authenticates for. It refuses tokens for other clusters. */
  clusterName: string;
  region: string;
  identities: readonly StsIdentity[];
  nowEpochMs: () => number;
}

const prefix = 'k8s-aws-v1.';
const mostTokenCharacters = 16 * 1024;
const lifetimeMs = 15 * 60_000;
const allowedParameters = new Set([
  'action',
  'version',
  'x-amz-algorithm',
  'x-amz-credential',
  'x-amz-date',
  'x-amz-expires',
  'x-amz-security-token',
  'x-amz-signature',
  'x-amz-signedheaders',
]);

/**
 * Verifies a token as EKS's authenticator does. It computes the signature itself where the authenticator asks STS.
 *
 * @returns the name of the identity that signed the token
 * @throws Error that says what is wrong with the token
 * @see https://github.com/kubernetes-sigs/aws-iam-authenticator/blob/master/pkg/token/token.go (`Verify`)
 * @see https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html
 */
export function verifyEksToken(options: AuthenticatorOptions, token: string): StsIdentity {
  if (token.length > mostTokenCharacters) throw new Error('token is too large');
  if (!token.startsWith(prefix)) throw new Error(`token is missing expected "${prefix}" prefix`);
  if (!/^[\w-]+$/.test(token.slice(prefix.length))) throw new Error('token is not unpadded base64url');
  const url = new URL(Buffer.from(token.slice(prefix.length), 'base64url').toString());
  checkUrl(url, options);
  return askSts(url, options);
}

function checkUrl(url: URL, { region, nowEpochMs }: AuthenticatorOptions): void {
  if (url.protocol !== 'https:') throw new Error(`unexpected scheme ${url.protocol}`);
  if (url.host !== `sts.${region}.amazonaws.com`) throw new Error(`unexpected hostname ${url.host}`);
  if (url.pathname !== '/') throw new Error('unexpected path');
  const names = [...url.searchParams.keys()].map((name) => name.toLowerCase());
  const foreign = names.find((name) => !allowedParameters.has(name));
  if (foreign !== undefined) throw new Error(`non-whitelisted query parameter ${foreign}`);
  if (new Set(names).size < names.length) throw new Error('query parameter with multiple values');
  if (url.searchParams.get('Action') !== 'GetCallerIdentity') throw new Error('unexpected action parameter');
  if (!signedHeaders(url).includes('x-k8s-aws-id')) throw new Error('client did not sign the x-k8s-aws-id header');
  const expires = Number(url.searchParams.get('X-Amz-Expires'));
  if (!(Number.isInteger(expires) && expires >= 0 && expires <= 900)) throw new Error('invalid X-Amz-Expires');
  if (nowEpochMs() > signedAtEpochMs(url) + lifetimeMs) throw new Error('X-Amz-Date parameter is expired');
}

/** When the token was signed, in epoch milliseconds; a whole second. */
export function tokenSignedAtEpochMs(token: string): number {
  return signedAtEpochMs(new URL(Buffer.from(token.slice(prefix.length), 'base64url').toString()));
}

function signedAtEpochMs({ searchParams }: URL): number {
  const parts = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(searchParams.get('X-Amz-Date') ?? '')?.slice(1) ?? [];
  const [year = 0, month = 0, day = 0, ...time] = parts.map(Number);
  const [hour = 0, minute = 0, second = 0] = time;
  return Date.UTC(year, month - 1, day, hour, minute, second);
}

function signedHeaders({ searchParams }: URL): string[] {
  return (searchParams.get('X-Amz-SignedHeaders') ?? '').split(';');
}

function askSts(url: URL, { clusterName, region, identities }: AuthenticatorOptions): StsIdentity {
  const { searchParams } = url;
  const [accessKeyId, ...scope] = (searchParams.get('X-Amz-Credential') ?? '').split('/');
  const identity = identities.find((known) => known.accessKeyId === accessKeyId);
  if (identity === undefined) throw new Error('InvalidClientTokenId');
  if ((searchParams.get('X-Amz-Security-Token') ?? undefined) !== identity.sessionToken) {
    throw new Error('InvalidClientTokenId: the security token is invalid');
  }
  const date = searchParams.get('X-Amz-Date') ?? '';
  if (scope.join('/') !== `${date.slice(0, 8)}/${region}/sts/aws4_request`) throw new Error('SignatureDoesNotMatch');
  // The header comes from the authenticator, not from the token.
  const headers: Readonly<Record<string, string>> = { host: url.host, 'x-k8s-aws-id': clusterName };
  const canonicalRequest = [
    'GET',
    '/',
    canonicalQuery(searchParams),
    ...signedHeaders(url).map((name) => `${name}:${headers[name] ?? ''}`),
    '',
    signedHeaders(url).join(';'),
    sha256(''),
  ].join('\n');
  const stringToSign = ['AWS4-HMAC-SHA256', date, scope.join('/'), sha256(canonicalRequest)].join('\n');
  const key = scope.reduce<string | Buffer>((secret, part) => hmac(secret, part), `AWS4${identity.secretAccessKey}`);
  if (hmac(key, stringToSign).toString('hex') !== searchParams.get('X-Amz-Signature')) {
    throw new Error('SignatureDoesNotMatch');
  }
  return identity;
}

function canonicalQuery(searchParams: URLSearchParams): string {
  return [...searchParams]
    .filter(([name]) => name !== 'X-Amz-Signature')
    .map(([name, value]) => `${encoded(name)}=${encoded(value)}`)
    .toSorted()
    .join('&');
}

/** Encodes all but RFC 3986's unreserved characters. */
function encoded(text: string): string {
  return encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}

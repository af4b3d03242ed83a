import { createHash, createHmac } from 'node:crypto';

/** A request as a server received it. */
export interface ReceivedRequest {
  method: string;
  /** With the query, unchanged. */
  url: string;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  body: Buffer;
}

/** The credentials that requests must be signed with. */
export interface SigningIdentity {
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken: string;
}

const authorization =
  /^AWS4-HMAC-SHA256 Credential=(?<accessKeyId>[^/]+)\/(?<scope>[^,]+), ?SignedHeaders=(?<signed>[^,]+), ?Signature=(?<signature>[0-9a-f]{64})$/;

/**
 * Whether a request carries a valid Signature Version 4. It decodes the query and encodes it again, sorted, as AWS
 * does: a client that signs another form is refused.
 *
 * @see https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html
 */
export function isSignedBy(request: ReceivedRequest, identity: SigningIdentity): boolean {
  const { groups } = authorization.exec(headerOf(request, 'authorization')) ?? {};
  if (groups === undefined) return false;
  const { accessKeyId, scope = '', signed = '', signature } = groups;
  const names = signed.split(';');
  const hasAll = ['host', 'x-amz-date', 'x-amz-security-token'].every((name) => names.includes(name));
  if (!hasAll || accessKeyId !== identity.accessKeyId) return false;
  if (headerOf(request, 'x-amz-security-token') !== identity.sessionToken) return false;
  const text = ['AWS4-HMAC-SHA256', headerOf(request, 'x-amz-date'), scope, sha256(canonicalRequest(request, names))];
  const key = scope.split('/').reduce<string | Buffer>(hmac, `AWS4${identity.secretAccessKey}`);
  return hmac(key, text.join('\n')).toString('hex') === signature;
}

function canonicalRequest(request: ReceivedRequest, signedHeaders: readonly string[]): string {
  const { pathname, searchParams } = new URL(request.url, 'http://host');
  const query = [...searchParams].map(([name, value]) => `${encoded(name)}=${encoded(value)}`).toSorted();
  return [
    request.method,
    pathname,
    query.join('&'),
    ...signedHeaders.map((name) => `${name}:${headerOf(request, name).trim()}`),
    '',
    signedHeaders.join(';'),
    sha256(request.body),
  ].join('\n');
}

/** Encodes everything but the unreserved characters. */
function encoded(text: string): string {
  return encodeURIComponent(text).replaceAll(/[!'()*]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`);
}

function headerOf({ headers }: ReceivedRequest, name: string): string {
  const value = headers[name];
  return typeof value === 'string' ? value : '';
}

function sha256(data: string | Buffer): string {
  return createHash('sha256').update(data).digest('hex');
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}

import { createHash, createHmac } from 'node:crypto';
import type { SeenRequest } from './start-scripted-aws.ts';

/** What a signature says of itself. */
export interface Signature {
  accessKeyId: string;
  /** The day, the region and the service. */
  scope: string;
  signedHeaders: string[];
  signature: string;
}

const Authorization =
  /^AWS4-HMAC-SHA256 Credential=(?<id>[^/]+)\/(?<scope>\S+)\/aws4_request, SignedHeaders=(?<headers>\S+), Signature=(?<hex>[0-9a-f]{64})$/;

/** Reads the signature that a request came with. @throws Error when there is none */
export function readSignature({ headers }: SeenRequest): Signature {
  const authorization = String(headers['authorization']);
  const { id, scope, headers: signed, hex } = Authorization.exec(authorization)?.groups ?? {};
  if (id === undefined || scope === undefined || signed === undefined || hex === undefined) {
    throw new Error(`${authorization} is no signature`);
  }
  return { accessKeyId: id, scope, signedHeaders: signed.split(';'), signature: hex };
}

/**
 * Computes the signature that a request should have come with, of the bytes that came, as AWS does before it answers. No
 * query is expected.
 *
 * @see https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html
 */
export function signatureOf(request: SeenRequest, secretAccessKey: string): string {
  const { scope, signedHeaders } = readSignature(request);
  const fullScope = `${scope}/aws4_request`;
  const canonicalRequest = [
    request.method,
    // Each segment is encoded twice for every service but S3.
    request.path.split('/').map(encodeURIComponent).join('/'),
    '',
    ...signedHeaders.map((name) => `${name}:${String(request.headers[name]).trim()}`),
    '',
    signedHeaders.join(';'),
    sha256(request.body),
  ].join('\n');
  const date = String(request.headers['x-amz-date']);
  const stringToSign = ['AWS4-HMAC-SHA256', date, fullScope, sha256(canonicalRequest)].join('\n');
  const key = fullScope
    .split('/')
    .reduce<string | Buffer>((secret, part) => hmac(secret, part), `AWS4${secretAccessKey}`);
  return hmac(key, stringToSign).toString('hex');
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}

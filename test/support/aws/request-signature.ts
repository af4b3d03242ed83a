import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { Sha256 } from '@smithy/core/checksum';
import { SignatureV4 } from '@smithy/signature-v4';
import { isSameSecret } from '../../../runtime/signing/is-same-secret.ts';
import { AwsServiceError } from './aws-service-error.ts';

/** The secret access key that a service accepts by default, for unit tests. */
export const defaultSecretAccessKey = 'local';

const Authorization =
  /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/([^/]+)\/aws4_request, ?SignedHeaders=([^,]+), ?Signature=[0-9a-f]{64}$/;

/**
 * Checks that a request has a Signature Version 4 by this secret access key, over the received body. Accepts any access
 * key id, which names the caller.
 *
 * @throws AwsServiceError MissingAuthenticationTokenException for an unsigned request; InvalidSignatureException when
 *   another key signed it, or it has changed since
 * @see https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html
 */
export async function checkSignature(request: IncomingMessage, body: Buffer, secretAccessKey: string): Promise<void> {
  const authorization = request.headers.authorization ?? '';
  const [, accessKeyId = '', , region = '', service = '', signedHeaders] = Authorization.exec(authorization) ?? [];
  if (signedHeaders === undefined) {
    const message = 'The request is not signed. Sign it with the secret access key of this run.';
    throw new AwsServiceError('MissingAuthenticationTokenException', message, 403);
  }
  const names = signedHeaders.split(';');
  const headers = Object.fromEntries(names.map((name) => [name, String(request.headers[name] ?? '')]));
  const signer = new SignatureV4({
    service,
    region,
    credentials: { accessKeyId, secretAccessKey },
    sha256: Sha256,
    applyChecksum: false,
  });
  const url = new URL(request.url ?? '/', 'http://localhost');
  const signed = await signer.sign(
    {
      method: request.method ?? '',
      protocol: url.protocol,
      hostname: url.hostname,
      path: url.pathname,
      query: Object.fromEntries(url.searchParams),
      headers,
      body,
    },
    { signingDate: dateOf(headers['x-amz-date'] ?? ''), signableHeaders: new Set(names) },
  );
  const contentHash = request.headers['x-amz-content-sha256'];
  const isBodyIntact = contentHash === undefined || isSameSecret(String(contentHash), sha256(body));
  if (isBodyIntact && isSameSecret(signatureOf(signed.headers['authorization']), signatureOf(authorization))) return;
  const message = 'The signature does not match. Sign the request with the secret access key of this run.';
  throw new AwsServiceError('InvalidSignatureException', message, 403);
}

/** Reads `20261122T100000Z`. For any other text, returns a date that matches no signature. */
function dateOf(amzDate: string): Date {
  const date = new Date(amzDate.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'));
  return Number.isNaN(date.getTime()) ? new Date(0) : date;
}

function signatureOf(authorization: string | undefined): string {
  return authorization?.split('Signature=')[1] ?? '';
}

function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}

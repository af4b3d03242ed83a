import { X509Certificate } from 'node:crypto';
import { createSecureContext } from 'node:tls';

/** Certificates and keys as Kubernetes' files have them: PEM in base64. */
export interface TlsMaterial {
  /** The authority that signs the server's certificate. */
  caData?: string | undefined;
  certData?: string | undefined;
  keyData?: string | undefined;
}

/**
 * Checks certificates and keys. Without this check, Node ignores an invalid authority, and each call fails because of an
 * unknown authority.
 *
 * @throws Error, mostly OpenSSL's, which does not quote the certificates and keys
 */
export function checkTls({ caData, certData, keyData }: TlsMaterial): void {
  if (caData) {
    const found = decoded(caData).match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g);
    if (found === null) throw new Error('there is no certificate in it');
    found.map((pem) => new X509Certificate(pem));
  }
  if (certData && keyData) createSecureContext({ cert: decoded(certData), key: decoded(keyData) });
}

function decoded(base64: string): string {
  return Buffer.from(base64, 'base64').toString();
}

import { X509Certificate } from 'node:crypto';
import { createSecureContext, type SecureContext } from 'node:tls';

/** Certificates and keys as Kubernetes' files have them: PEM in base64. */
export interface TlsMaterial {
  /** Of the authority that signs the server's certificate; when not given, those that Node trusts. */
  authority?: string | undefined;
  certificate?: string | undefined;
  key?: string | undefined;
}

/**
 * Reads certificates and keys, once for all connections.
 *
 * @throws Error of OpenSSL's, which quotes nothing of them
 */
export function secureContextOf(material: TlsMaterial): SecureContext {
  const ca = decoded(material.authority);
  // An authority that is no certificate would be passed over, and every server refused for an unknown one.
  if (ca !== undefined) new X509Certificate(ca);
  return createSecureContext({ ca, cert: decoded(material.certificate), key: decoded(material.key) });
}

function decoded(base64: string | undefined): string | undefined {
  return base64 ? Buffer.from(base64, 'base64').toString() : undefined;
}

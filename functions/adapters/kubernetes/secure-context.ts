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
 * @throws Error, mostly of OpenSSL's, which quotes nothing of them
 */
export function secureContextOf(material: TlsMaterial): SecureContext {
  const ca = material.authority ? certificatesIn(decoded(material.authority)) : undefined;
  return createSecureContext({ ca, cert: decoded(material.certificate), key: decoded(material.key) });
}

/** Left to Node, what is no certificate is passed over, and every server refused for an unknown authority. */
function certificatesIn(bundle = ''): string[] {
  const found = bundle.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g);
  if (found === null) throw new Error('there is no certificate in it');
  return found.map((pem) => new X509Certificate(pem).toString());
}

function decoded(base64: string | undefined): string | undefined {
  return base64 ? Buffer.from(base64, 'base64').toString() : undefined;
}

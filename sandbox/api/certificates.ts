import 'reflect-metadata';
import { webcrypto } from 'node:crypto';
import {
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  PemConverter,
  SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension,
  X509CertificateGenerator,
} from '@peculiar/x509';

/** A server's key and certificate in PEM. Clients trust the certificate itself: no authority has signed it. */
export interface ServerCertificate {
  keyPem: string;
  certificatePem: string;
}

const dayMs = 24 * 60 * 60 * 1000;
const lifetimeDays = 365;
const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };

/**
 * Makes a server's certificate, which is its own authority: making a second one would take a tenth of the sandbox's start.
 *
 * @param addresses the server's IP addresses besides 127.0.0.1
 */
export async function makeServerCertificate(addresses: readonly string[] = []): Promise<ServerCertificate> {
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const nowEpochMs = Date.now();
  const certificate = await X509CertificateGenerator.createSelfSigned({
    serialNumber: '01',
    name: 'CN=davit-sandbox',
    // A client whose clock is behind accepts it, too.
    notBefore: new Date(nowEpochMs - dayMs),
    notAfter: new Date(nowEpochMs + lifetimeDays * dayMs),
    signingAlgorithm: algorithm,
    keys,
    extensions: [
      new BasicConstraintsExtension(true, undefined, true),
      new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.digitalSignature, true),
      new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth]),
      new SubjectAlternativeNameExtension([
        { type: 'dns', value: 'localhost' },
        ...['127.0.0.1', ...addresses].map((value) => ({ type: 'ip', value }) as const),
      ]),
      // Strict clients ask for it.
      await SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  const keyDer = await webcrypto.subtle.exportKey('pkcs8', keys.privateKey);
  return { keyPem: PemConverter.encode(keyDer, 'PRIVATE KEY'), certificatePem: certificate.toString('pem') };
}

import 'reflect-metadata';
import { webcrypto } from 'node:crypto';
import {
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  type Extension,
  KeyUsageFlags,
  KeyUsagesExtension,
  PemConverter,
  SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension,
  X509CertificateGenerator,
} from '@peculiar/x509';

/** A server's key and certificate, and the certificate of the authority that signed it, all in PEM. */
export interface ServerCertificate {
  keyPem: string;
  certificatePem: string;
  caPem: string;
}

const dayMs = 24 * 60 * 60 * 1000;
const lifetimeDays = 365;
const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const caName = 'CN=davit-sandbox-ca';

function makeKeys(): Promise<webcrypto.CryptoKeyPair> {
  return webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
}

/** Starts a day ago, so that a client whose clock is behind accepts the certificate. */
function validity(): { notBefore: Date; notAfter: Date } {
  return {
    notBefore: new Date(Date.now() - dayMs),
    notAfter: new Date(Date.now() + lifetimeDays * dayMs),
  };
}

/** The identifiers by which strict clients chain certificates: the subject's own and its issuer's. */
function keyIdentifiers(subject: webcrypto.CryptoKey, issuer: webcrypto.CryptoKey): Promise<Extension[]> {
  return Promise.all([SubjectKeyIdentifierExtension.create(subject), AuthorityKeyIdentifierExtension.create(issuer)]);
}

/**
 * Makes a certificate authority and a server certificate that it signs.
 *
 * @param addresses the server's IP addresses besides 127.0.0.1
 */
export async function makeServerCertificate(addresses: readonly string[] = []): Promise<ServerCertificate> {
  const [ca, server] = await Promise.all([makeKeys(), makeKeys()]);
  const caCertificate = await X509CertificateGenerator.createSelfSigned({
    serialNumber: '01',
    name: caName,
    ...validity(),
    signingAlgorithm: algorithm,
    keys: ca,
    extensions: [
      new BasicConstraintsExtension(true, undefined, true),
      new KeyUsagesExtension(KeyUsageFlags.keyCertSign, true),
      ...(await keyIdentifiers(ca.publicKey, ca.publicKey)),
    ],
  });
  const certificate = await X509CertificateGenerator.create({
    serialNumber: '02',
    subject: 'CN=davit-sandbox',
    issuer: caName,
    ...validity(),
    signingAlgorithm: algorithm,
    publicKey: server.publicKey,
    signingKey: ca.privateKey,
    extensions: [
      new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
      new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth]),
      new SubjectAlternativeNameExtension([
        { type: 'dns', value: 'localhost' },
        ...['127.0.0.1', ...addresses].map((value) => ({ type: 'ip', value }) as const),
      ]),
      ...(await keyIdentifiers(server.publicKey, ca.publicKey)),
    ],
  });
  const keyDer = await webcrypto.subtle.exportKey('pkcs8', server.privateKey);
  return {
    keyPem: PemConverter.encode(keyDer, 'PRIVATE KEY'),
    certificatePem: certificate.toString('pem'),
    caPem: caCertificate.toString('pem'),
  };
}

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

/** A server's key and certificate, and the certificate of the authority that vouches for it; all in PEM. */
export interface ServerCertificate {
  keyPem: string;
  certificatePem: string;
  caPem: string;
}

const DAY_MS = 24 * 60 * 60 * 1000;
const LIFETIME_DAYS = 365;
const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const CA_NAME = 'CN=davit-sandbox-ca';

const makeKeys = (): Promise<webcrypto.CryptoKeyPair> =>
  webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);

/** A day back, so that a client whose clock is a little behind does not refuse it. */
const validity = (): { notBefore: Date; notAfter: Date } => ({
  notBefore: new Date(Date.now() - DAY_MS),
  notAfter: new Date(Date.now() + LIFETIME_DAYS * DAY_MS),
});

/** The identifiers by which strict clients chain certificates: the subject's own and its issuer's. */
const keyIdentifiers = (subject: webcrypto.CryptoKey, issuer: webcrypto.CryptoKey): Promise<Extension[]> =>
  Promise.all([SubjectKeyIdentifierExtension.create(subject), AuthorityKeyIdentifierExtension.create(issuer)]);

/**
 * Makes a certificate authority, and by it a certificate for a server.
 *
 * @param addresses where the server listens, beside this machine's loopback
 */
export const makeServerCertificate = async (addresses: readonly string[] = []): Promise<ServerCertificate> => {
  const [ca, server] = await Promise.all([makeKeys(), makeKeys()]);
  const caCertificate = await X509CertificateGenerator.createSelfSigned({
    serialNumber: '01',
    name: CA_NAME,
    ...validity(),
    signingAlgorithm: ALGORITHM,
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
    issuer: CA_NAME,
    ...validity(),
    signingAlgorithm: ALGORITHM,
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
};

import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { bits, octets, oid, sequence, setOf, smallInteger, TRUE, tagged, utcTime, utf8 } from './der.ts';

/** A server's key and certificate, and the certificate of the authority that vouches for it; all in PEM. */
export interface ServerCertificate {
  keyPem: string;
  certificatePem: string;
  caPem: string;
}

interface KeyPair {
  publicKey: KeyObject;
  privateKey: KeyObject;
}

interface CertificateInput {
  serialNumber: number;
  issuer: string;
  subject: string;
  subjectKey: KeyObject;
  issuerKeys: KeyPair;
  extensions: Buffer[];
}

const DAY_MS = 24 * 60 * 60 * 1000;
const LIFETIME_DAYS = 365;

const ECDSA_WITH_SHA256 = sequence(oid('1.2.840.10045.4.3.2'));
const COMMON_NAME = oid('2.5.4.3');

const commonName = (name: string): Buffer => sequence(setOf(sequence(COMMON_NAME, utf8(name))));

const critical = (id: string, content: Buffer): Buffer => sequence(oid(id), TRUE, octets(content));

const CA_EXTENSIONS = [
  // Basic constraints: an authority.
  critical('2.5.29.19', sequence(TRUE)),
  // Key usage: keyCertSign, which is the sixth of eight bits.
  critical('2.5.29.15', bits(Buffer.from([0b0000_0100]), 2)),
];

const SERVER_EXTENSIONS = [
  // Key usage: digitalSignature, the first of eight bits.
  critical('2.5.29.15', bits(Buffer.from([0b1000_0000]), 7)),
  // Extended key usage: serverAuth.
  sequence(oid('2.5.29.37'), octets(sequence(oid('1.3.6.1.5.5.7.3.1')))),
  // Subject alternative names: a DNS name and an IP address.
  sequence(
    oid('2.5.29.17'),
    octets(sequence(tagged(2, Buffer.from('localhost'), false), tagged(7, Buffer.from([127, 0, 0, 1]), false))),
  ),
];

const spkiOf = (key: KeyObject): Buffer => key.export({ type: 'spki', format: 'der' });

const keyId = (key: KeyObject): Buffer => createHash('sha1').update(spkiOf(key)).digest();

/** The identifiers by which strict clients chain certificates: the subject's own and its issuer's. */
const keyIdentifiers = (subjectKey: KeyObject, issuerKey: KeyObject): Buffer[] => [
  sequence(oid('2.5.29.14'), octets(octets(keyId(subjectKey)))),
  sequence(oid('2.5.29.35'), octets(sequence(tagged(0, keyId(issuerKey), false)))),
];

/** @see https://www.rfc-editor.org/rfc/rfc5280#section-4.1 */
const certificate = (input: CertificateInput): string => {
  const now = Date.now();
  const signedPart = sequence(
    // Version 3, the one that has extensions, is written as 2.
    tagged(0, smallInteger(2)),
    smallInteger(input.serialNumber),
    ECDSA_WITH_SHA256,
    commonName(input.issuer),
    // A day back, so that a client whose clock is a little behind does not refuse it.
    sequence(utcTime(now - DAY_MS), utcTime(now + LIFETIME_DAYS * DAY_MS)),
    commonName(input.subject),
    spkiOf(input.subjectKey),
    tagged(3, sequence(...input.extensions, ...keyIdentifiers(input.subjectKey, input.issuerKeys.publicKey))),
  );
  const signature = sign('sha256', signedPart, { key: input.issuerKeys.privateKey, dsaEncoding: 'der' });
  const lines =
    sequence(signedPart, ECDSA_WITH_SHA256, bits(signature))
      .toString('base64')
      .match(/.{1,64}/g) ?? [];
  return ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n');
};

/** Makes a certificate authority, and by it a certificate for a server on this machine's loopback address. */
export const makeServerCertificate = (): ServerCertificate => {
  const ca = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const server = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const issuer = 'davit-sandbox-ca';
  return {
    keyPem: server.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    certificatePem: certificate({
      serialNumber: 2,
      issuer,
      subject: 'davit-sandbox',
      subjectKey: server.publicKey,
      issuerKeys: ca,
      extensions: SERVER_EXTENSIONS,
    }),
    caPem: certificate({
      serialNumber: 1,
      issuer,
      subject: issuer,
      subjectKey: ca.publicKey,
      issuerKeys: ca,
      extensions: CA_EXTENSIONS,
    }),
  };
};

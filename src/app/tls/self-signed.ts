/** The certificate of the minutes until the first one is issued. A module of its own, for only such a start loads the library. */

import { webcrypto } from 'node:crypto';
import { SubjectAlternativeNameExtension, X509CertificateGenerator } from '@peculiar/x509';
import { DAY } from '../../kernel/clock.ts';
import type { CertificatePair } from '../../net/tls/listener-certificates.ts';

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const VALID_MS = 30 * DAY;

const toPem = (key: ArrayBuffer): string =>
  `-----BEGIN PRIVATE KEY-----\n${Buffer.from(key).toString('base64').replace(/.{64}/g, '$&\n')}\n-----END PRIVATE KEY-----\n`;

export const makeSelfSigned = async (name: string, now: number): Promise<CertificatePair> => {
  const keys = await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
  const certificate = await X509CertificateGenerator.createSelfSigned(
    {
      name: [{ CN: [name] }],
      notBefore: new Date(now - DAY),
      notAfter: new Date(now + VALID_MS),
      signingAlgorithm: ALGORITHM,
      keys,
      extensions: [new SubjectAlternativeNameExtension([{ type: 'dns', value: name }])],
    },
    webcrypto,
  );
  const key = toPem(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey));
  return { cert: Buffer.from(certificate.toString('pem')), key: Buffer.from(key) };
};

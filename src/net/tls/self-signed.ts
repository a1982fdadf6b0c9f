/** A self-signed certificate, for the minutes until the first one is issued. */

import { webcrypto } from 'node:crypto';
import { DAY } from '../../kernel/clock.ts';
import type { CertificatePair } from './listener-certificates.ts';

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const VALID_MS = 30 * DAY;

const toPem = (label: string, der: ArrayBuffer): string =>
  `-----BEGIN ${label}-----\n${Buffer.from(der).toString('base64').replace(/.{64}/g, '$&\n')}\n-----END ${label}-----\n`;

export const makeSelfSigned = async (name: string, now: number): Promise<CertificatePair> => {
  const { SubjectAlternativeNameExtension, X509CertificateGenerator } = await import('@peculiar/x509');
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
  const key = toPem('PRIVATE KEY', await webcrypto.subtle.exportKey('pkcs8', keys.privateKey));
  return { cert: Buffer.from(certificate.toString('pem')), key: Buffer.from(key) };
};

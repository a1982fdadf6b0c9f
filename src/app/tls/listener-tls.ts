/** The listeners' certificates by `tls.mode`: files that are watched, ACME's, or none. */

import { webcrypto } from 'node:crypto';
import { join } from 'node:path';
import type { Config } from '../../config/config.ts';
import { DAY } from '../../kernel/clock.ts';
import type { Log } from '../../kernel/log.ts';
import { type IssuedCertificates, openIssuedCertificates } from '../../net/tls/acme/issued-certificates.ts';
import { createTlsAlpn, type TlsAlpn } from '../../net/tls/acme/tls-alpn.ts';
import type { CertificatePair, ListenerCertificates } from '../../net/tls/listener-certificates.ts';
import type { Runtime } from '../instance.ts';
import { readCertificate } from './certificates.ts';

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const VALID_MS = 30 * DAY;

const toPem = (key: ArrayBuffer): string =>
  `-----BEGIN PRIVATE KEY-----\n${Buffer.from(key).toString('base64').replace(/.{64}/g, '$&\n')}\n-----END PRIVATE KEY-----\n`;

/** For the minutes until the first certificate is issued. */
const makeSelfSigned = async (name: string, now: number): Promise<CertificatePair> => {
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
  const key = toPem(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey));
  return { cert: Buffer.from(certificate.toString('pem')), key: Buffer.from(key) };
};

export interface ListenerTls {
  /** Null: TLS is off. */
  certificate: ListenerCertificates | null;
  /** Null where certificates come from elsewhere. */
  acme: { folder: string; certificates: IssuedCertificates; tlsAlpn: TlsAlpn } | null;
}

/** @throws {StartError} for files that are no certificate and its key */
export const createListenerTls = async (config: Config, log: Log, { clock }: Runtime): Promise<ListenerTls> => {
  if (config.tls.mode !== 'acme') {
    const onError = (err: unknown) =>
      log.error({ err }, 'the new certificate cannot be used; the old one stays in use');
    return { certificate: readCertificate(config, onError), acme: null };
  }
  const placeholder = await makeSelfSigned(config.hostname, clock.now());
  const folder = join(config.data_dir, 'tls');
  const certificates = openIssuedCertificates(folder, config.hostname, placeholder, (err) =>
    log.warn({ err }, 'a certificate cannot be read and is ordered anew'),
  );
  return { certificate: certificates, acme: { folder, certificates, tlsAlpn: createTlsAlpn() } };
};

/** The listeners' certificates by `tls.mode`: files that are watched, ACME's, or none. */

import { join } from 'node:path';
import type { Config } from '../../config/config.ts';
import type { Log } from '../../kernel/log.ts';
import { type IssuedCertificates, openIssuedCertificates } from '../../net/tls/acme/issued-certificates.ts';
import { createTlsAlpn, type TlsAlpn } from '../../net/tls/acme/tls-alpn.ts';
import type { ListenerCertificates } from '../../net/tls/listener-certificates.ts';
import type { Runtime } from '../instance.ts';
import { readCertificate } from './certificates.ts';

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
  const { makeSelfSigned } = await import('./self-signed.ts');
  const placeholder = await makeSelfSigned(config.hostname, clock.now());
  const folder = join(config.data_dir, 'tls');
  const certificates = openIssuedCertificates(folder, config.hostname, placeholder, (err) =>
    log.warn({ err }, 'a certificate cannot be read and is ordered anew'),
  );
  return { certificate: certificates, acme: { folder, certificates, tlsAlpn: createTlsAlpn() } };
};

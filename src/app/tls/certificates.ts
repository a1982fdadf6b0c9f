/** Reads the certificates that the config names. */

import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Config } from '../../config/config.ts';
import { messageOf } from '../../kernel/text/message-of.ts';
import { watchCertificate } from '../../net/tls/certificate-files.ts';
import type { ListenerCertificates } from '../../net/tls/listener-certificates.ts';
import { StartError } from '../start-error.ts';

/** Reads the PEM of authorities trusted in addition to the system's; null where none is configured. @throws {StartError} */
export const readExtraCa = ({ network }: Config): string | null => {
  if (network.extra_ca_file === null) return null;
  try {
    const ca = readFileSync(network.extra_ca_file, 'utf8');
    // node:tls ignores a PEM that it cannot parse; this throws.
    new X509Certificate(ca);
    return ca;
  } catch (cause) {
    throw new StartError(`network.extra_ca_file holds no certificates that can be read: ${messageOf(cause)}`, {
      cause,
    });
  }
};

/** Reads the listeners' certificate; null where they do not come from files. @throws {StartError} */
export const readCertificate = ({ tls }: Config, onError: (error: unknown) => void): ListenerCertificates | null => {
  if (tls.mode !== 'files' || !tls.cert_file || !tls.key_file) return null;
  try {
    return watchCertificate({ certFile: tls.cert_file, keyFile: tls.key_file }, onError);
  } catch (error) {
    const path = error instanceof Error && 'path' in error ? error.path : null;
    const key = path === tls.cert_file ? 'tls.cert_file' : path === tls.key_file ? 'tls.key_file' : null;
    throw new StartError(
      `${key ?? 'tls.cert_file and tls.key_file are no certificate and its key'}: ${messageOf(error)}`,
    );
  }
};

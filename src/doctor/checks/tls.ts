/** The listeners' certificate. */

import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../../config/config.ts';
import { DAY } from '../../kernel/clock.ts';
import { messageOf } from '../../kernel/text/message-of.ts';
import { readCertificatePair } from '../../net/tls/certificate-files.ts';
import { splitPem } from '../../net/tls/pem.ts';
import type { Check } from '../check.ts';
import { type Finding, fail, ok, skipped, warn } from '../finding.ts';

/** What renews certificates does so with a third of their validity left, of one of a few days with half. */
const SOON_MS = 14 * DAY;
const SOON_SHARE = 1 / 4;

const fileOf = ({ tls, data_dir, hostname }: Config): string | null =>
  tls.mode === 'files' ? tls.cert_file : join(data_dir, 'tls', `${hostname}.pem`);

/** A renewal of the files that the daemon cannot use leaves the certificate of before in use, until it ends. */
const findPairFault = ({ tls: { mode, cert_file: certFile, key_file: keyFile } }: Config): string | null => {
  if (mode !== 'files' || !certFile || !keyFile) return null;
  try {
    readCertificatePair({ certFile, keyFile });
    return null;
  } catch (error) {
    return messageOf(error);
  }
};

const RENEWAL: Readonly<Record<'acme' | 'files', string>> = {
  acme: 'Port 80 or 443 must be reachable from outside, by every address of the host; then: postroom tls renew',
  files: 'Mend or renew the files of tls.cert_file and tls.key_file; they are read again by themselves.',
};

export const checkTls: Check = async ({ config, now, orderFault }): Promise<Finding[]> => {
  const { tls, hostname, http } = config;
  if (tls.mode === 'off') {
    return http.trusted_proxies.length > 0
      ? [warn('tls', 'Off: HTTP goes over a proxy, and mail comes in the clear.', 'tls.mode = "files" gives STARTTLS.')]
      : [skipped('tls', 'Off.')];
  }
  const fix = RENEWAL[tls.mode];
  const file = fileOf(config);
  const pairFault = findPairFault(config);
  if (pairFault !== null) return [fail('tls', `${file} and ${tls.key_file} cannot be used: ${pairFault}`, fix)];
  let certificate: X509Certificate;
  try {
    certificate = new X509Certificate(splitPem(readFileSync(file ?? '', 'latin1')).chain);
  } catch {
    const reason = orderFault === null ? '' : ` The last order failed: ${orderFault}`;
    return [fail('tls', `No certificate that can be read: ${file}.${reason}`, fix)];
  }
  const end = new Date(certificate.validTo);
  const told = `${hostname} until ${end.toISOString().slice(0, 10)}`;
  if (certificate.checkHost(hostname) === undefined) return [fail('tls', `${file} is not for ${hostname}.`, fix)];
  if (end.getTime() <= now) return [fail('tls', `${told}: it is over.`, fix)];
  if (orderFault !== null) return [warn('tls', `${told}; its renewal fails: ${orderFault}`, fix)];
  const soon = Math.min(SOON_MS, (end.getTime() - Date.parse(certificate.validFrom)) * SOON_SHARE);
  return [end.getTime() - now < soon ? warn('tls', told, fix) : ok('tls', told)];
};

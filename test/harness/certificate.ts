/** A self-signed certificate, made when it is first asked for. */

import { execFileSync } from 'node:child_process';

export interface Certificate {
  readonly key: string;
  readonly cert: string;
}

const made = new Map<string, Certificate>();

/** A certificate for a host name, 127.0.0.1 and ::1, good for two days; the same one each time within a process. */
export const selfSigned = (hostname = 'localhost'): Certificate => {
  const known = made.get(hostname);
  if (known) return known;
  const options = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
  const names = ['-subj', `/CN=${hostname}`, '-addext', `subjectAltName=DNS:${hostname},IP:127.0.0.1,IP:::1`];
  const pem = execFileSync('openssl', ['req', '-x509', ...options, ...names, '-keyout', '-', '-out', '-'], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const block = (kind: string): string =>
    new RegExp(`-----BEGIN ${kind}-----[^]+?-----END ${kind}-----\n`).exec(pem)?.[0] ?? '';
  const certificate = { key: block('PRIVATE KEY'), cert: block('CERTIFICATE') };
  made.set(hostname, certificate);
  return certificate;
};

/** Certificates for tests: self-signed, made when they are first asked for, or of an authority of the test's own. */

import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Test } from 'tap';

export interface Certificate {
  readonly key: string;
  readonly cert: string;
}

const made = new Map<string, Certificate>();

const EC_KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];

const openssl = (options: readonly string[], input = ''): string =>
  execFileSync('openssl', options, { encoding: 'utf8', input, stdio: ['pipe', 'pipe', 'ignore'] });

const block = (pem: string, kind: string): string =>
  new RegExp(`-----BEGIN ${kind}-----[^]+?-----END ${kind}-----\n`).exec(pem)?.[0] ?? '';

const makeSelfSigned = (options: readonly string[]): Certificate => {
  const pem = openssl(['req', '-x509', ...EC_KEY, '-days', '2', ...options, '-keyout', '-', '-out', '-']);
  return { key: block(pem, 'PRIVATE KEY'), cert: block(pem, 'CERTIFICATE') };
};

/** A certificate for a host name, 127.0.0.1 and ::1, good for two days; the same one each time within a process. */
export const selfSigned = (hostname = 'localhost'): Certificate => {
  const known = made.get(hostname);
  if (known) return known;
  const names = ['-subj', `/CN=${hostname}`, '-addext', `subjectAltName=DNS:${hostname},IP:127.0.0.1,IP:::1`];
  const certificate = makeSelfSigned(names);
  made.set(hostname, certificate);
  return certificate;
};

/** A self-signed certificate in files of the test's own. @returns the keys of `[tls]` that serve it */
export const tlsByFiles = (t: Pick<Test, 'teardown'>, hostname = 'mx.box.test'): string => {
  const folder = mkdtempSync(join(tmpdir(), 'postroom-tls-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  const { cert, key } = selfSigned(hostname);
  writeFileSync(join(folder, 'cert.pem'), cert);
  writeFileSync(join(folder, 'key.pem'), key);
  return `mode = "files"\ncert_file = "${folder}/cert.pem"\nkey_file = "${folder}/key.pem"`;
};

export interface Authority {
  /** PEM. */
  readonly cert: string;
  /** A host's certificate, with the authority's own behind it; good for two days, or over from the next second on. */
  issue(hostname: string, validity?: 'current' | 'over'): Certificate;
}

const makeLeaf = (own: Certificate, hostname: string, validity: 'current' | 'over'): Certificate => {
  const directory = mkdtempSync(join(tmpdir(), 'postroom-ca-'));
  const [cert, key] = [join(directory, 'ca.pem'), join(directory, 'ca.key')];
  writeFileSync(cert, own.cert);
  writeFileSync(key, own.key);
  const names = ['-subj', `/CN=${hostname}`];
  const extensions = join(directory, 'extensions');
  writeFileSync(extensions, `subjectAltName=${isIP(hostname) ? 'IP' : 'DNS'}:${hostname}\nbasicConstraints=CA:FALSE\n`);
  const asked = openssl(['req', '-new', ...EC_KEY, ...names, '-keyout', '-', '-out', '-']);
  // One of no days ends in the second in which it is made: before any start of a daemon is done.
  const days = validity === 'current' ? '2' : '0';
  const how = ['-CA', cert, '-CAkey', key, '-CAcreateserial', '-days', days, '-extfile', extensions];
  const signed = openssl(['x509', '-req', ...how], block(asked, 'CERTIFICATE REQUEST'));
  rmSync(directory, { recursive: true });
  return { key: block(asked, 'PRIVATE KEY'), cert: block(signed, 'CERTIFICATE') + own.cert };
};

/** Issues the same certificate for a host each time: openssl takes as much as a short test. */
export const createAuthority = (name = 'Test authority'): Authority => {
  const own = makeSelfSigned(['-subj', `/CN=${name}`]);
  const leaves = new Map<string, Certificate>();
  return {
    cert: own.cert,
    issue: (hostname, validity = 'current') => {
      const leaf = leaves.get(`${hostname} ${validity}`) ?? makeLeaf(own, hostname, validity);
      leaves.set(`${hostname} ${validity}`, leaf);
      return leaf;
    },
  };
};

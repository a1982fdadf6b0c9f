/**
 * The certificates issued by ACME, one PEM file each (key, then chain), so that a pair is replaced as one. The first
 * is the listeners' own; SNI selects the others.
 */

import { X509Certificate } from 'node:crypto';
import { chmodSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createSecureContext, type SecureContext } from 'node:tls';
import { replaceFile } from '../../../kernel/files/replace-file.ts';
import type { CertificatePair, ListenerCertificates } from '../listener-certificates.ts';
import { splitPem } from '../pem.ts';

const SUFFIX = '.pem';

export interface IssuedCertificate extends CertificatePair {
  readonly names: readonly string[];
  readonly validFrom: number;
  readonly validTo: number;
}

export interface IssuedCertificates extends ListenerCertificates {
  /** The certificate with `name` as its first name; null where none was issued. */
  find(name: string): IssuedCertificate | null;
  /** Writes a certificate to disk, and has the listeners use it. @param pair PEM */
  put(name: string, pair: CertificatePair): void;
  /** Reads the folder again, and has the listeners use what it holds. */
  reload(): void;
}

/** @throws where it is no certificate with its key */
const readPem = (pem: Buffer): IssuedCertificate => {
  const { chain: cert, key } = splitPem(pem.toString('latin1'));
  if (key === null) throw new Error('no private key');
  createSecureContext({ cert, key });
  const { subjectAltName = '', validFrom, validTo } = new X509Certificate(cert);
  return {
    cert: Buffer.from(cert),
    key: Buffer.from(key),
    names: [...subjectAltName.matchAll(/DNS:([^,\s]+)/g)].map(([, name = '']) => name.toLowerCase()),
    validFrom: Date.parse(validFrom),
    validTo: Date.parse(validTo),
  };
};

/**
 * @param folder made where it is missing, mode 0700
 * @param first the name of the listeners' own certificate
 * @param placeholder used until that is issued
 */
export const openIssuedCertificates = (
  folder: string,
  first: string,
  placeholder: CertificatePair,
  onError: (error: unknown) => void,
): IssuedCertificates => {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  chmodSync(folder, 0o700);
  const subscribers = new Set<(pair: CertificatePair) => void>();
  const issued = new Map<string, { certificate: IssuedCertificate; context: SecureContext }>();
  const fileOf = (name: string): string => join(folder, `${name}${SUFFIX}`);
  const use = (name: string, certificate: IssuedCertificate): void => {
    const { cert, key } = certificate;
    issued.set(name, { certificate, context: createSecureContext({ cert, key }) });
    if (name === first) for (const onChange of subscribers) onChange({ cert, key });
  };
  const load = (): void => {
    for (const file of readdirSync(folder).filter((each) => each.endsWith(SUFFIX))) {
      try {
        use(file.slice(0, -SUFFIX.length), readPem(readFileSync(join(folder, file))));
      } catch (error) {
        // A damaged file is issued anew.
        onError(error);
      }
    }
  };
  load();
  return {
    get current() {
      return issued.get(first)?.certificate ?? placeholder;
    },
    subscribe: (onChange) => void subscribers.add(onChange),
    contextFor: (name) => (name === first ? undefined : issued.get(name.toLowerCase())?.context),
    check: () => {},
    close: () => {},
    find: (name) => issued.get(name)?.certificate ?? null,
    put: (name, { cert, key }) => {
      const pem = Buffer.concat([key, Buffer.from('\n'), cert]);
      const certificate = readPem(pem);
      replaceFile(fileOf(name), pem, 0o600);
      use(name, certificate);
    },
    reload: load,
  };
};

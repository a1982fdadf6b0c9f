/** Reads a certificate and its key from PEM files, and reloads them on change, so that a renewal needs no restart. */

import { readFileSync, statSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import { SECOND } from '../../kernel/clock.ts';
import { codeOf } from '../../kernel/text/message-of.ts';
import type { CertificatePair, ListenerCertificates } from './listener-certificates.ts';

export interface CertificateFiles {
  readonly certFile: string;
  readonly keyFile: string;
}

/** Renewals happen weeks before expiry, so half a minute of delay is harmless; a stat is cheap. */
const CHECK_INTERVAL_MS = 30 * SECOND;

/** A key is root's, as certbot writes it, until it is given to the service: the system's words do not tell what to do. */
const read = (path: string): Buffer => {
  try {
    return readFileSync(path);
  } catch (error) {
    if (codeOf(error) !== 'EACCES') throw error;
    const told = `the service's user may not read ${path}: give it to that user's group, at each renewal (docs/tls)`;
    throw Object.assign(new Error(told, { cause: error }), { path });
  }
};

/** @throws where a file is unreadable or not PEM, or the key does not match the certificate */
export const readCertificatePair = ({ certFile, keyFile }: CertificateFiles): CertificatePair => {
  const pair = { cert: read(certFile), key: read(keyFile) };
  createSecureContext(pair);
  return pair;
};

/**
 * Returns a value that changes when a file is written or replaced, or its mode or owner is: a renewal may first leave a key
 * that is unreadable. Null where a file is missing.
 */
const readStamp = ({ certFile, keyFile }: CertificateFiles): string | null => {
  try {
    const stats = [certFile, keyFile].map((file) => statSync(file));
    return stats.map(({ ctimeMs, size, ino }) => `${ctimeMs} ${size} ${ino}`).join(' ');
  } catch {
    return null;
  }
};

/**
 * Reads a pair and watches its files. An invalid pair is reported once, and the one before stays in use: the two files
 * are seldom written at one instant, and a later check finds them complete.
 * @throws as {@link readCertificatePair}, on the first read
 */
export const watchCertificate = (files: CertificateFiles, onError: (error: unknown) => void): ListenerCertificates => {
  const subscribers = new Set<(pair: CertificatePair) => void>();
  let stamp = readStamp(files);
  let current = readCertificatePair(files);
  const check = (): void => {
    const latest = readStamp(files);
    if (latest === null || latest === stamp) return;
    stamp = latest;
    try {
      current = readCertificatePair(files);
      for (const onChange of subscribers) onChange(current);
    } catch (error) {
      onError(error);
    }
  };
  const timer = setInterval(check, CHECK_INTERVAL_MS).unref();
  return {
    get current() {
      return current;
    },
    subscribe: (onChange) => void subscribers.add(onChange),
    contextFor: () => undefined,
    check,
    close: () => clearInterval(timer),
  };
};

/** A certificate and its key from PEM files, read again when they change: who renews them need not restart us. */

import { readFileSync, statSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import { SECOND } from '../../kernel/clock.ts';

export interface CertificatePair {
  readonly cert: Buffer;
  readonly key: Buffer;
}

export interface CertificateFiles {
  readonly certFile: string;
  readonly keyFile: string;
}

export interface WatchedCertificate {
  /** The pair in use. */
  readonly current: CertificatePair;
  /** Called with each pair that comes into use from now on. */
  subscribe(onChange: (pair: CertificatePair) => void): void;
  /** Looks at the files now. */
  check(): void;
  close(): void;
}

/** Renewals come weeks ahead of the end: half a minute loses nothing, and a stat costs nothing. */
const LOOK_EVERY_MS = 30 * SECOND;

/** @throws where a file cannot be read, is no PEM, or the key is another certificate's */
const readCertificatePair = ({ certFile, keyFile }: CertificateFiles): CertificatePair => {
  const pair = { cert: readFileSync(certFile), key: readFileSync(keyFile) };
  createSecureContext(pair);
  return pair;
};

/** Changes when a file is written or replaced, also by one of the same size; a file that is missing counts as it was. */
const stampOf = ({ certFile, keyFile }: CertificateFiles): string | null => {
  try {
    const stats = [certFile, keyFile].map((file) => statSync(file));
    return stats.map(({ mtimeMs, size, ino }) => `${mtimeMs} ${size} ${ino}`).join(' ');
  } catch {
    return null;
  }
};

/**
 * Reads a pair and keeps watching it. A pair that is broken is told once, and the one before stays in use: the two files
 * are seldom written in one instant, and a later look finds them whole.
 * @throws as {@link readCertificatePair}, at the first reading
 */
export const watchCertificate = (files: CertificateFiles, onError: (error: unknown) => void): WatchedCertificate => {
  const subscribers = new Set<(pair: CertificatePair) => void>();
  let stamp = stampOf(files);
  let current = readCertificatePair(files);
  const check = (): void => {
    const seen = stampOf(files);
    if (seen === null || seen === stamp) return;
    stamp = seen;
    try {
      current = readCertificatePair(files);
      for (const onChange of subscribers) onChange(current);
    } catch (error) {
      onError(error);
    }
  };
  const timer = setInterval(check, LOOK_EVERY_MS).unref();
  return {
    get current() {
      return current;
    },
    subscribe: (onChange) => void subscribers.add(onChange),
    check,
    close: () => clearInterval(timer),
  };
};

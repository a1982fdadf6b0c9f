/** One-time passwords (RFC 6238) from a seed: base32, or an `otpauth://totp/` URI with its algorithm, digits and period. */

import { Secret, TOTP, URI } from 'otpauth';
import { type Millis, SECOND } from '../kernel/clock.ts';

export interface OneTimeCode {
  code: string;
  digits: number;
  /** Seconds. */
  period: number;
  expiresAt: Millis;
}

const ALGORITHMS: readonly string[] = ['SHA1', 'SHA256', 'SHA512'];
const MAX_PERIOD_SECONDS = 3_600;
/** RFC 4648 section 6, in any case, with blanks as shown to people. */
const BASE32 = /^[A-Z2-7]{2,1000}=*$/;

/** @returns null for an invalid seed: another scheme, counter-based (`hotp`), or beyond the usual bounds */
const parseSeed = (seed: string): TOTP | null => {
  const totp = seed.trim().toLowerCase().startsWith('otpauth:') ? parseUri(seed.trim()) : parseBase32(seed);
  if (!totp) return null;
  const { algorithm, digits, period, secret } = totp;
  const isUsual = ALGORITHMS.includes(algorithm.replace('-', '')) && digits >= 6 && digits <= 10;
  return isUsual && period >= 1 && period <= MAX_PERIOD_SECONDS && secret.bytes.length > 0 ? totp : null;
};

const parseUri = (text: string): TOTP | null => {
  try {
    const parsed = URI.parse(text);
    return parsed instanceof TOTP ? parsed : null;
  } catch {
    return null;
  }
};

const parseBase32 = (text: string): TOTP | null => {
  const plain = text.replace(/[\s-]/g, '').toUpperCase();
  return BASE32.test(plain) ? new TOTP({ secret: Secret.fromBase32(plain) }) : null;
};

export const isTotpSeed = (seed: string): boolean => parseSeed(seed) !== null;

/** @returns null for an invalid seed */
export const oneTimeCode = (seed: string, now: Millis): OneTimeCode | null => {
  const totp = parseSeed(seed);
  if (!totp) return null;
  const { digits, period } = totp;
  const step = period * SECOND;
  return { code: totp.generate({ timestamp: now }), digits, period, expiresAt: (Math.floor(now / step) + 1) * step };
};

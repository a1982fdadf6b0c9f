/** One-time passwords (RFC 6238) from a seed: base32, or an `otpauth://totp/` URI with its algorithm, digits and period. */

import { Secret, TOTP } from 'otpauth';
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
  const url = seed.trim().toLowerCase().startsWith('otpauth:') ? URL.parse(seed.trim()) : null;
  if (url && url.host.toLowerCase() !== 'totp') return null;
  const read = (name: string, otherwise: string): string => url?.searchParams.get(name) || otherwise;
  const secret = (url ? read('secret', '') : seed).replace(/[\s-]/g, '').toUpperCase();
  const algorithm = read('algorithm', 'SHA1')
    .toUpperCase()
    .replace(/^HMAC|-/g, '');
  const digits = Number(read('digits', '6'));
  const period = Number(read('period', '30'));
  const isUsual = ALGORITHMS.includes(algorithm) && digits >= 6 && digits <= 10;
  const isWhole = Number.isInteger(digits) && Number.isInteger(period);
  if (!BASE32.test(secret) || !isUsual || !isWhole || period < 1 || period > MAX_PERIOD_SECONDS) return null;
  return new TOTP({ secret: Secret.fromBase32(secret), algorithm, digits, period });
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

import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import t from 'tap';
import { isTotpSeed, oneTimeCode } from '../../../src/vault/totp.ts';

const DATA = process.env.POSTROOM_TEST_DATA ?? resolve(import.meta.dirname, '../../../../shared/data');
const ALGORITHMS = ['SHA1', 'SHA256', 'SHA512'] as const;
const SEED_BYTES = [20, 32, 64] as const;

/** RFC 4648 section 6. */
const base32 = (bytes: Buffer): string => {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  return (bits.match(/.{1,5}/g) ?? [])
    .map((five) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'[Number.parseInt(five.padEnd(5, '0'), 2)])
    .join('');
};

t.test('the vectors of RFC 6238 appendix B', (t) => {
  const { vectors } = JSON.parse(readFileSync(join(DATA, 'rfc6238.json'), 'utf8')) as {
    vectors: [seconds: number, ...codes: string[]][];
  };
  t.equal(vectors.length, 6);
  for (const [seconds, ...codes] of vectors) {
    for (const [at, algorithm] of ALGORITHMS.entries()) {
      const seed = base32(Buffer.from('1234567890'.repeat(7).slice(0, SEED_BYTES[at])));
      const uri = `otpauth://totp/Acme:ann?secret=${seed}&algorithm=${algorithm}&digits=8&period=30&issuer=Acme`;
      t.match(oneTimeCode(uri, seconds * 1000), {
        code: codes[at],
        digits: 8,
        period: 30,
        expiresAt: (Math.floor(seconds / 30) + 1) * 30_000,
      });
    }
  }
  t.end();
});

t.test('a bare seed has SHA-1, 6 digits and 30 seconds, however it is written', (t) => {
  const seed = base32(Buffer.from('12345678901234567890'));
  const expected = { code: '287082', digits: 6, period: 30, expiresAt: 60_000 };
  const spaced = seed.toLowerCase().replace(/.{4}/g, '$& ');
  for (const text of [seed, spaced, ` ${seed}== `, seed.replace(/.{8}/, '$&-')])
    t.same(oneTimeCode(text, 59_000), expected);
  t.equal(oneTimeCode(seed, 59_999)?.code, '287082');
  t.not(oneTimeCode(seed, 60_000)?.code, '287082');
  for (const uri of [
    `otpauth://totp/?secret=${seed}`,
    `otpauth://totp/100% Shop:ann?secret=${spaced}`,
    `otpauth://totp/x?secret=${spaced.trim().replaceAll(' ', '%20')}&digits=&issuer`,
    `OTPAUTH://TOTP/x?secret=${seed}&algorithm=HmacSHA1`,
  ])
    t.same(oneTimeCode(uri, 59_000), expected, uri);
  t.match(oneTimeCode(`otpauth://totp/x?secret=${seed}&period=60`, 119_000), { period: 60, expiresAt: 120_000 });
  t.end();
});

t.test('what is no seed', (t) => {
  const seed = base32(Buffer.from('12345678901234567890'));
  for (const text of [
    ...['', '0', '189', 'hunter2!', 'https://example.com/?secret=AAAA', 'otpauth://', 'otpauth://totp/x'],
    `otpauth://hotp/x?secret=${seed}&counter=1`,
    `otpauth://totp/x?secret=${seed}&algorithm=MD5`,
    `otpauth://totp/x?secret=${seed}&algorithm=SHA3-256`,
    `otpauth://totp/x?secret=${seed}&digits=5`,
    `otpauth://totp/x?secret=${seed}&digits=11`,
    `otpauth://totp/x?secret=${seed}&digits=6.5`,
    `otpauth://totp/x?secret=${seed}&period=0`,
    `otpauth://totp/x?secret=${seed}&period=1000000`,
    'A'.repeat(10_000),
  ]) {
    t.notOk(isTotpSeed(text), text.slice(0, 60));
    t.equal(oneTimeCode(text, 0), null);
  }
  t.end();
});

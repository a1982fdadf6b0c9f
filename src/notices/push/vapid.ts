/** The instance's key for push services (VAPID, RFC 8292): made once, sealed with the vault's key. */

import { createECDH, createPrivateKey, type KeyObject, sign } from 'node:crypto';
import { parse } from 'tldts';
import { HOUR, type Millis, SECOND } from '../../kernel/clock.ts';
import { open, seal } from '../../seal/envelope.ts';
import { findSetting, insertSettingOnce } from '../../store/settings.ts';
import type { Store } from '../../store/store.ts';

const SETTING = 'push-key';
const CONTEXT = 'push-key';
/** RFC 8292 section 2: at most 24 hours. */
const VALID_MS = 12 * HOUR;

export interface VapidKey {
  /** What browsers subscribe with: the point in base64url. */
  publicKey: string;
  /** The value of `Authorization` for a push service. */
  authorization(endpoint: URL, now: Millis): string;
}

const toKeyObject = (point: Buffer, secret: Buffer): KeyObject =>
  createPrivateKey({
    format: 'jwk',
    key: {
      kty: 'EC',
      crv: 'P-256',
      x: point.subarray(1, 33).toString('base64url'),
      y: point.subarray(33).toString('base64url'),
      d: secret.toString('base64url'),
    },
  });

/**
 * Whom a push service may write to. Apple answers 403 `BadJwtToken` where that is a name outside the public DNS, as
 * `agents.localhost`, which gets no mail either: a reserved name (RFC 2606 section 3) stands for it.
 */
const toSubject = (baseDomain: string): string =>
  `mailto:postmaster@${parse(baseDomain).isIcann ? baseDomain : 'example.com'}`;

const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** @param secret 32 bytes @param subject a `mailto:` or `https:` URL */
const toVapidKey = (secret: Buffer, subject: string): VapidKey => {
  const pair = createECDH('prime256v1');
  pair.setPrivateKey(secret);
  const point = pair.getPublicKey();
  const key = toKeyObject(point, secret);
  const publicKey = point.toString('base64url');
  return {
    publicKey,
    authorization: ({ origin }, now) => {
      const claims = { aud: origin, exp: Math.floor((now + VALID_MS) / SECOND), sub: subject };
      const signed = `${encode({ typ: 'JWT', alg: 'ES256' })}.${encode(claims)}`;
      const signature = sign('sha256', Buffer.from(signed), { key, dsaEncoding: 'ieee-p1363' });
      return `vapid t=${signed}.${signature.toString('base64url')}, k=${publicKey}`;
    },
  };
};

/**
 * Opens the key; the first call makes it.
 * @throws Error where the vault's key is another than the one that sealed it
 */
export const openVapidKey = async (store: Store, vaultKey: Buffer, baseDomain: string): Promise<VapidKey> => {
  if (!(await findSetting(store.read, SETTING))) {
    const made = createECDH('prime256v1');
    made.generateKeys();
    // Without the leading zeros that a number does not need.
    const secret = Buffer.from(made.getPrivateKey('hex').padStart(64, '0'), 'hex');
    await store.write((tx) => insertSettingOnce(tx, SETTING, seal(vaultKey, secret, CONTEXT)));
  }
  const sealed = await findSetting(store.read, SETTING);
  const secret = sealed && open(vaultKey, sealed, CONTEXT);
  if (!secret) throw new Error('The push key does not open with the vault’s key.');
  return toVapidKey(secret, toSubject(baseDomain));
};

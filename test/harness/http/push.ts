/** A browser's side of push (RFC 8291, RFC 8188): its keys, and the decryption of what a push service takes for it. */

import { createDecipheriv, createECDH, createHmac, createPublicKey, randomBytes, verify } from 'node:crypto';
import type { ReceivedRequest } from './http-receiver.ts';

const hmac = (key: Uint8Array, ...parts: Uint8Array[]): Buffer =>
  createHmac('sha256', key).update(Buffer.concat(parts)).digest();
const ONE = Buffer.of(1);

export interface PushBrowser {
  /** What it hands to the page of the console. */
  keys: { p256dh: string; auth: string };
  /** @throws where the bytes are not for it */
  decrypt(body: Buffer): string;
  /** What a request of the instance tells it. */
  read(request: ReceivedRequest): { title: string; body: string; tag: string; url: string };
}

export const createPushBrowser = (privateKey?: Buffer, auth: Buffer = randomBytes(16)): PushBrowser => {
  const own = createECDH('prime256v1');
  if (privateKey) own.setPrivateKey(privateKey);
  else own.generateKeys();
  const decrypt = (body: Buffer): string => {
    const salt = body.subarray(0, 16);
    const keyEnd = 21 + (body[20] ?? 0);
    const sender = body.subarray(21, keyEnd);
    // RFC 8291 section 3.4, with the HMACs that HKDF is made of.
    const combined = hmac(auth, own.computeSecret(sender));
    const keyed = hmac(combined, Buffer.from('WebPush: info\0'), own.getPublicKey(), sender, ONE);
    const extracted = hmac(salt, keyed);
    const key = hmac(extracted, Buffer.from('Content-Encoding: aes128gcm\0'), ONE).subarray(0, 16);
    const nonce = hmac(extracted, Buffer.from('Content-Encoding: nonce\0'), ONE).subarray(0, 12);
    const record = body.subarray(keyEnd);
    if (body.readUInt32BE(16) < record.length) throw new Error('More than one record');
    const decipher = createDecipheriv('aes-128-gcm', key, nonce).setAuthTag(record.subarray(-16));
    const padded = Buffer.concat([decipher.update(record.subarray(0, -16)), decipher.final()]);
    const end = padded.findLastIndex((byte) => byte !== 0);
    if (padded[end] !== 2) throw new Error('Not the last record');
    return padded.subarray(0, end).toString();
  };
  return {
    keys: { p256dh: own.getPublicKey('base64url'), auth: auth.toString('base64url') },
    decrypt,
    read: ({ body }) => JSON.parse(decrypt(body)),
  };
};

/** The claims of a request's `Authorization` (RFC 8292), once its signature is checked with the key that it names. */
export const readVapid = ({ headers }: ReceivedRequest): { key: string; claims: Record<string, unknown> } => {
  const [, head = '', claims = '', signature = '', key = ''] =
    /^vapid t=([\w-]+)\.([\w-]+)\.([\w-]+), k=([\w-]+)$/.exec(headers.authorization ?? '') ?? [];
  const point = Buffer.from(key, 'base64url');
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((half) => half.toString('base64url'));
  const jwk = { kty: 'EC', crv: 'P-256', x: x ?? '', y: y ?? '' };
  const publicKey = createPublicKey({ format: 'jwk', key: jwk });
  const isSigned = verify(
    'sha256',
    Buffer.from(`${head}.${claims}`),
    { key: publicKey, dsaEncoding: 'ieee-p1363' },
    Buffer.from(signature, 'base64url'),
  );
  if (!isSigned) throw new Error('The token is not signed by its key');
  return { key, claims: JSON.parse(Buffer.from(claims, 'base64url').toString()) };
};

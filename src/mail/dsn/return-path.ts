/**
 * Authenticated return paths: `b-<token>@domain`. The token holds a delivery's id and a message authentication code
 * over it. A bounce is processed only at such a path, because this instance sent the mail.
 */

import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto';
import type { Address, DomainName } from '../../kernel/address.ts';
import { type DeliveryId, idFromBytes, idToBytes, parseId } from '../../kernel/ids.ts';

/** RFC 4648 section 6 in lower case: a local part may lose its case in transport. */
const ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567';
const ID_BYTES = 16;
/** 64 bits: a forger has one attempt per message. */
const CODE_BYTES = 8;
const TOKEN_CHARS = Math.ceil(((ID_BYTES + CODE_BYTES) * 8) / 5);

const LOCAL_PART = new RegExp(`^b-([${ALPHABET}]{${TOKEN_CHARS}})$`, 'i');

const encode = (bytes: Buffer): string => {
  let text = '';
  let bits = 0;
  let held = 0;
  for (const byte of bytes) {
    held = ((held << 8) | byte) & 0xfff;
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      text += ALPHABET[(held >> bits) & 31];
    }
  }
  return bits > 0 ? text + ALPHABET[(held << (5 - bits)) & 31] : text;
};

const decode = (text: string): Buffer => {
  const bytes: number[] = [];
  let bits = 0;
  let held = 0;
  for (const character of text) {
    held = ((held << 5) | ALPHABET.indexOf(character)) & 0xfff;
    bits += 5;
    if (bits >= 8) {
      bits -= 8;
      bytes.push((held >> bits) & 0xff);
    }
  }
  return Buffer.from(bytes);
};

/** Computes the code. The label separates it from other uses of the key. */
const computeCode = (key: Buffer | KeyObject, id: Buffer): Buffer =>
  createHmac('sha256', key).update('postroom return path v1\0').update(id).digest().subarray(0, CODE_BYTES);

export interface ReturnPathFacts {
  /** Secret, at least 32 bytes; an object takes a fifth of the time. */
  key: Buffer | KeyObject;
  /** The sending domain, so that SPF aligns. */
  domain: DomainName | string;
  /** A UUID. */
  deliveryId: DeliveryId | string;
}

/** Formats the return path of one delivery. Its local part has 41 of the 64 characters of RFC 5321 section 4.5.3.1.1. */
export const makeReturnPath = ({ key, domain, deliveryId }: ReturnPathFacts): Address => {
  const id = parseId(deliveryId);
  if (id === null) throw new TypeError('deliveryId is no UUID');
  const bytes = idToBytes(id);
  return `b-${encode(Buffer.concat([bytes, computeCode(key, bytes)]))}@${domain}` as Address;
};

/** Whether a local part has the form of an authenticated return path; does not verify the code. */
export const isReturnPath = (localPart: string): boolean => LOCAL_PART.test(localPart);

/**
 * Verifies and parses a return path, in any letter case and at any domain.
 * @param address `b-…@domain`, or its local part alone
 * @returns null where the code does not verify with this key; compares in constant time
 */
export const readReturnPath = (key: Buffer, address: string): { deliveryId: DeliveryId } | null => {
  const at = address.lastIndexOf('@');
  const token = LOCAL_PART.exec(at < 0 ? address : address.slice(0, at))?.[1]?.toLowerCase();
  if (token === undefined) return null;
  const bytes = decode(token);
  const id = bytes.subarray(0, ID_BYTES);
  if (!timingSafeEqual(bytes.subarray(ID_BYTES), computeCode(key, id)) || encode(bytes) !== token) return null;
  const deliveryId = parseId<'delivery'>(idFromBytes(id));
  return deliveryId && { deliveryId };
};

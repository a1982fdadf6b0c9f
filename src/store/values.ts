/** Conversions between the domain's values and their stored form. */

import type { Id } from '../kernel/ids.ts';

export const toBlob = (id: Id<string>): Uint8Array => Buffer.from(id.replaceAll('-', ''), 'hex');

export const fromBlob = <T extends string>(blob: Uint8Array): Id<T> => {
  const hex = Buffer.from(blob.buffer, blob.byteOffset, blob.byteLength).toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}` as Id<T>;
};

export const toFlag = (value: boolean): 0 | 1 => (value ? 1 : 0);

/** Replaces U+0000 by U+FFFD: PostgreSQL stores no text with it, and SQLite's functions end at it. */
export const toText = <V extends string>(text: V): V =>
  text.includes('\0') ? (text.replaceAll('\0', '\ufffd') as V) : text;

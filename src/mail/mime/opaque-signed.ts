/**
 * Extracts the content of an opaque S/MIME signature (RFC 8551 section 3.5.2) from its CMS. Does not verify the
 * signature.
 */

const SIGNED_DATA = '2a864886f70d010702';
const ENVELOPED = new Set(['2a864886f70d010703', '2a864886f70d0109100117']);
const OCTET_STRING = 0x04;
const OBJECT_ID = 0x06;
/** Levels of nesting; the content is at the sixth. */
const MAX_DEPTH = 16;

/** One value of BER (X.690 section 8). */
interface Value {
  tag: number;
  isConstructed: boolean;
  start: number;
  /** Null for an indefinite length: two zero octets end the value. */
  end: number | null;
}

class NotBer extends Error {}

const readValue = (bytes: Buffer, at: number): Value => {
  const tag = bytes[at];
  const first = bytes[at + 1];
  if (tag === undefined || first === undefined || (tag & 0x1f) === 0x1f) throw new NotBer();
  const isConstructed = (tag & 0x20) !== 0;
  if (first === 0x80) {
    if (!isConstructed) throw new NotBer();
    return { tag, isConstructed, start: at + 2, end: null };
  }
  const octets = first < 0x80 ? 0 : first & 0x7f;
  if (octets > 4 || at + 2 + octets > bytes.length) throw new NotBer();
  const length = octets === 0 ? first : bytes.readUIntBE(at + 2, octets);
  const start = at + 2 + octets;
  return { tag, isConstructed, start, end: Math.min(start + length, bytes.length) };
};

const isEnd = (bytes: Buffer, at: number, { end }: Value): boolean =>
  end === null ? bytes[at] === 0 && bytes[at + 1] === 0 : at >= end;

const offsetAfter = (bytes: Buffer, value: Value, depth = 0): number => {
  if (value.end !== null) return value.end;
  if (depth > MAX_DEPTH) throw new NotBer();
  let at = value.start;
  while (!isEnd(bytes, at, value)) at = offsetAfter(bytes, readValue(bytes, at), depth + 1);
  return at + 2;
};

/** Returns the n-th value within another. */
const readChild = (bytes: Buffer, value: Value, index: number): Value => {
  let at = value.start;
  for (let skipped = 0; skipped < index; skipped += 1) {
    if (isEnd(bytes, at, value)) throw new NotBer();
    at = offsetAfter(bytes, readValue(bytes, at));
  }
  if (isEnd(bytes, at, value)) throw new NotBer();
  return readValue(bytes, at);
};

/** Collects the octets of a string, primitive or constructed from segments. */
const collectOctets = (bytes: Buffer, value: Value, into: Buffer[], depth = 0): void => {
  if (depth > MAX_DEPTH) throw new NotBer();
  if (!value.isConstructed) {
    if (value.tag !== OCTET_STRING) throw new NotBer();
    into.push(bytes.subarray(value.start, value.end ?? bytes.length));
    return;
  }
  for (let at = value.start; !isEnd(bytes, at, value); ) {
    const part = readValue(bytes, at);
    collectOctets(bytes, part, into, depth + 1);
    at = offsetAfter(bytes, part);
  }
};

const readObjectId = (bytes: Buffer, { tag, start, end }: Value): string =>
  tag === OBJECT_ID && end !== null ? bytes.toString('hex', start, end) : '';

export type CmsContent = { kind: 'signed'; content: Buffer } | { kind: 'encrypted' } | { kind: 'unknown' };

/** @param bytes a ContentInfo (RFC 5652 section 3) in BER */
export const readCms = (bytes: Buffer): CmsContent => {
  try {
    const info = readValue(bytes, 0);
    const type = readObjectId(bytes, readChild(bytes, info, 0));
    if (ENVELOPED.has(type)) return { kind: 'encrypted' };
    if (type !== SIGNED_DATA) return { kind: 'unknown' };
    // SignedData: version, digest algorithms, then the content's type and, unless detached, the content.
    const signedData = readChild(bytes, readChild(bytes, info, 1), 0);
    const encapsulated = readChild(bytes, signedData, 2);
    const octets: Buffer[] = [];
    collectOctets(bytes, readChild(bytes, readChild(bytes, encapsulated, 1), 0), octets);
    return { kind: 'signed', content: Buffer.concat(octets) };
  } catch (error) {
    if (error instanceof NotBer) return { kind: 'unknown' };
    throw error;
  }
};

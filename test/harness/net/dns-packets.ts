/** Answers octet by octet, as no encoder writes them. */

export interface RawRecord {
  name: Buffer;
  type: number;
  data: Buffer;
}

const u16 = (...values: number[]): Buffer<ArrayBuffer> =>
  Buffer.concat(values.map((each) => Buffer.from([each >> 8, each & 255])));

/** @param question as in the query: a name, a type and a class */
export const packetOf = (
  records: readonly RawRecord[],
  id = 0,
  question: Buffer = Buffer.from([0, 0, 1, 0, 1]),
): Buffer<ArrayBuffer> =>
  Buffer.concat([
    u16(id, 0x8400, 1, records.length, 0, 0),
    question,
    ...records.flatMap(({ name, type, data }) => [name, u16(type, 1, 0, 60, data.length), data]),
  ]);

/** Of octets alone (RFC 6895 section 3.1). */
const PRIVATE_USE = 65_280;
const NS = 2;

/** A record whose data is a chain of pointers, each to the one before it, and NS records that name its end. */
export const chainedPointers = (
  length: number,
  naming: number,
  id?: number,
  question?: Buffer,
): Buffer<ArrayBuffer> => {
  const root = Buffer.from([0]);
  const start = packetOf([{ name: root, type: PRIVATE_USE, data: Buffer.alloc(0) }], 0, question).length;
  // The root, and behind it the pointers; the name of each NS record points to the last one.
  const chain = [root];
  let at = start;
  for (let n = 1; n < length; n += 1) {
    chain.push(u16(0xc000 | at));
    at += n === 1 ? 1 : 2;
  }
  const last = { name: u16(0xc000 | at), type: NS, data: root };
  const first = { name: root, type: PRIVATE_USE, data: Buffer.concat(chain) };
  return packetOf([first, ...Array.from({ length: naming }, () => last)], id, question);
};

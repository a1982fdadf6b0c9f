/**
 * Bounds the cost of decoding an untrusted packet: dns-packet follows any number of compression pointers, for each
 * record anew.
 */

/** The longest answer over TCP that is read, in octets; the records of one name and type need less. */
export const MAX_ANSWER_BYTES = 16_384;
const MAX_RECORDS = 500;
/** Pointers of one name. A server that compresses well has two or three. */
const MAX_POINTERS = 32;
/** Labels and pointers of all names together: a record of an ordinary answer has up to five. */
const MAX_STEPS = 5_000;

const HEADER_BYTES = 12;
/** After a record's name: type, class, TTL and length. */
const FIXED_BYTES = 10;

interface DataForm {
  /** Octets before the names. */
  before: number;
  names: number;
  /** Octets behind them: exactly so many, or with `isOpen` at least. */
  after: number;
  isOpen?: true;
}

/**
 * The record types that are read. The decoder assumes a length of the data; it would read on into longer data that was
 * never checked.
 */
const FORMS: ReadonlyMap<number, DataForm> = new Map<number, DataForm>([
  [1, { before: 4, names: 0, after: 0 }], // A
  [2, { before: 0, names: 1, after: 0 }], // NS
  [5, { before: 0, names: 1, after: 0 }], // CNAME
  [6, { before: 0, names: 2, after: 20 }], // SOA
  [15, { before: 2, names: 1, after: 0 }], // MX
  [16, { before: 0, names: 0, after: 0, isOpen: true }], // TXT
  [28, { before: 16, names: 0, after: 0 }], // AAAA
  [52, { before: 3, names: 0, after: 0, isOpen: true }], // TLSA
]);
/** A client's query has one. In an answer it is not read. */
const OPT: readonly [number, DataForm] = [41, { before: 0, names: 0, after: 0, isOpen: true }];
const QUERY_FORMS: ReadonlyMap<number, DataForm> = new Map([OPT]);
/** For private use (RFC 6895 section 3.1): decoded as plain octets. */
const UNREAD = 65_280;

/** Thrown by the steps of {@link boundAnswer}, beside the RangeError of a read behind the end. */
class OutOfBounds extends Error {}

/**
 * Checks that decoding the answer is cheap. Each pointer leads backwards (RFC 1035 section 4.1.4), and records,
 * pointers and labels are bounded in number. Records of other types get a type with data that is not decoded.
 * @returns a copy to decode; null where the bytes are no such answer
 */
export const boundAnswer = (bytes: Uint8Array): Buffer | null => boundPacket(bytes, FORMS);

/** The same for a query, which has OPT alone. */
export const boundQuery = (bytes: Uint8Array): Buffer | null => boundPacket(bytes, QUERY_FORMS);

const boundPacket = (bytes: Uint8Array, forms: ReadonlyMap<number, DataForm>): Buffer | null => {
  if (bytes.length > MAX_ANSWER_BYTES) return null;
  const packet = Buffer.from(bytes);
  let steps = 0;

  /** @returns the offset behind the name */
  const passName = (start: number): number => {
    let at = start;
    let before = start;
    let end: number | null = null;
    for (let pointers = 0; ; ) {
      steps += 1;
      if (steps > MAX_STEPS) throw new OutOfBounds();
      const length = packet.readUInt8(at);
      if (length === 0) return end ?? at + 1;
      if (length < 0x40) {
        at += length + 1;
        continue;
      }
      pointers += 1;
      const target = packet.readUInt16BE(at) - 0xc000;
      // The other two kinds of label are a negative target.
      if (pointers > MAX_POINTERS || target < 0 || target >= before) throw new OutOfBounds();
      end ??= at + 2;
      at = target;
      before = target;
    }
  };

  const passRecord = (start: number): number => {
    const at = passName(start);
    const form = forms.get(packet.readUInt16BE(at));
    const data = at + FIXED_BYTES;
    const end = data + packet.readUInt16BE(data - 2);
    if (end > packet.length) throw new OutOfBounds();
    if (!form) {
      packet.writeUInt16BE(UNREAD, at);
      return end;
    }
    let within = data + form.before;
    for (let name = 0; name < form.names; name += 1) within = passName(within);
    within += form.after;
    if (form.isOpen ? within > end : within !== end) throw new OutOfBounds();
    return end;
  };

  try {
    const records = packet.readUInt16BE(6) + packet.readUInt16BE(8) + packet.readUInt16BE(10);
    // One question was asked.
    if (packet.readUInt16BE(4) !== 1 || records > MAX_RECORDS) return null;
    let at = passName(HEADER_BYTES) + 4;
    for (let record = 0; record < records; record += 1) at = passRecord(at);
    return packet;
  } catch (error) {
    if (error instanceof OutOfBounds || error instanceof RangeError) return null;
    throw error;
  }
};

/**
 * Domain names in this server's form for comparison: labels in lower case, joined by dots, the root as "". Octets
 * invalid in host names become `\DDD` (RFC 1035 section 5.1), so no such name equals a name of the zone.
 */

/** RFC 1035 section 2.3.4. */
const MAX_NAME_OCTETS = 255;
const MAX_LABEL_OCTETS = 63;

/** A name as queried, with its end. */
export interface WireName {
  readonly key: string;
  /** Offset of the first octet behind it. */
  readonly end: number;
}

/** The form of each octet for comparison. */
const KEYS: readonly string[] = Array.from({ length: 256 }, (_, octet) => {
  const text = String.fromCharCode(octet);
  return /[A-Za-z0-9_-]/.test(text) ? text.toLowerCase() : `\\${String(octet).padStart(3, '0')}`;
});

/**
 * Reads a name without compression. Nothing before a question's name can be a pointer's target, so a packet with a
 * pointer is malformed, and no chain is ever followed.
 * @returns null where the name is cut off, too long or compressed
 */
export const readName = (packet: Buffer, start: number): WireName | null => {
  const labels: string[] = [];
  let at = start;
  for (;;) {
    const length = packet[at];
    if (length === undefined || length > MAX_LABEL_OCTETS) return null;
    const next = at + 1 + length;
    if (next - start > MAX_NAME_OCTETS || next > packet.length) return null;
    if (length === 0) return { key: labels.join('.'), end: next };
    let label = '';
    for (let each = at + 1; each < next; each += 1) label += KEYS[packet[each] ?? 0];
    labels.push(label);
    at = next;
  }
};

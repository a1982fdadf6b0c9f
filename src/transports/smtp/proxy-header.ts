/**
 * Reads the header of PROXY protocol version 2 (HAProxy's proxy-protocol.txt, section 2.2) as a line of version 1, which
 * smtp-server reads.
 */

import { SocketAddress } from 'node:net';

const SIGNATURE = Buffer.from('\r\n\r\n\0\r\nQUIT\n', 'latin1');
const FIXED = 16;
/** Octets of addresses and extensions: a balancer's own extensions are some hundreds. */
const MAX_LENGTH = 4096;
const LOCAL = 0x20;
const PROXY = 0x21;
/** By family and protocol, TCP over either IP: octets of an address. */
const ADDRESS_OCTETS: Readonly<Record<number, number>> = { 17: 4, 33: 16 };
const UNKNOWN = 'PROXY UNKNOWN\r\n';

const formatAddress = (octets: Buffer): string =>
  octets.length === 4
    ? octets.join('.')
    : new SocketAddress({ family: 'ipv6', address: octets.toString('hex').replace(/(.{4})(?!$)/g, '$1:') }).address;

const toLine = (command: number, kind: number, body: Buffer): string | null => {
  if (command === LOCAL) return UNKNOWN;
  if (command !== PROXY) return null;
  const octets = ADDRESS_OCTETS[kind];
  // Another family names no IP address of a client.
  if (octets === undefined) return UNKNOWN;
  if (body.length < 2 * octets + 4) return null;
  const [client, server] = [body.subarray(0, octets), body.subarray(octets, 2 * octets)].map(formatAddress);
  const ports = [body.readUInt16BE(2 * octets), body.readUInt16BE(2 * octets + 2)];
  return `PROXY TCP${octets === 4 ? 4 : 6} ${client} ${server} ${ports.join(' ')}\r\n`;
};

/**
 * @param received the first octets of a connection
 * @returns `octets` to read in place of them: for version 2 with its header as a line, else as they are. `incomplete`
 * where more of version 2 has to come; `invalid` where it cannot be read
 */
export const toVersion1 = (received: Buffer): { octets: Buffer } | 'incomplete' | 'invalid' => {
  const head = received.subarray(0, SIGNATURE.length);
  if (!SIGNATURE.subarray(0, head.length).equals(head)) return { octets: received };
  if (received.length < FIXED) return 'incomplete';
  const length = received.readUInt16BE(14);
  if (length > MAX_LENGTH) return 'invalid';
  if (received.length < FIXED + length) return 'incomplete';
  const line = toLine(received.readUInt8(12), received.readUInt8(13), received.subarray(FIXED, FIXED + length));
  if (line === null) return 'invalid';
  return { octets: Buffer.concat([Buffer.from(line), received.subarray(FIXED + length)]) };
};

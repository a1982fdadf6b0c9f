/** Sends one DNS query to one server: over UDP, and over TCP where the answer is truncated (RFC 7766). */

import { randomInt } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { connect, isIPv6 } from 'node:net';
import { AUTHENTIC_DATA, CHECKING_DISABLED, type DecodedPacket, decode, encode, RECURSION_DESIRED } from 'dns-packet';
import type { Millis } from '../../kernel/clock.ts';
import { messageOf } from '../../kernel/text/message-of.ts';
import { boundAnswer, MAX_ANSWER_BYTES } from './answer-bounds.ts';

export interface Question {
  readonly name: string;
  readonly type: 'MX' | 'A' | 'AAAA' | 'TLSA' | 'TXT' | 'CNAME' | 'NS';
  /** Left out: `validated`. */
  readonly mode?: QueryMode;
}

/**
 * `validated` asks a resolver; `unvalidated` tells it to skip DNSSEC (RFC 4035 section 3.2.2); `iterative` asks an
 * authoritative name server.
 */
export type QueryMode = 'validated' | 'unvalidated' | 'iterative';

/** RFC 6840 section 5.7: the AD bit requests the validation result without the signatures that DO adds. */
const FLAGS: Readonly<Record<QueryMode, number>> = {
  validated: RECURSION_DESIRED | AUTHENTIC_DATA,
  unvalidated: RECURSION_DESIRED | CHECKING_DISABLED,
  iterative: 0,
};

const DNS_PORT = 53;
/** Fits unfragmented into a datagram: the recommendation of the 2020 DNS flag day. */
const UDP_BYTES = 1232;

const splitServer = (server: string): { address: string; port: number } => {
  if (isIPv6(server)) return { address: server, port: DNS_PORT };
  const { address, port } = /^\[?(?<address>[^\]]*?)\]?(?::(?<port>\d+))?$/.exec(server)?.groups ?? {};
  return { address: address ?? server, port: port ? Number(port) : DNS_PORT };
};

const toPacket = ({ name, type, mode = 'validated' }: Question, id: number) => ({
  type: 'query' as const,
  id,
  flags: FLAGS[mode],
  questions: [{ name, type, class: 'IN' as const }],
  additionals: [
    {
      type: 'OPT' as const,
      name: '.',
      udpPayloadSize: UDP_BYTES,
      extendedRcode: 0,
      ednsVersion: 0,
      flags: 0,
      flag_do: false,
      options: [],
    },
  ],
});

/** Decodes a response; null, and ignored, where the bytes do not answer the question or are expensive to decode. */
const readAnswer = (bytes: Buffer, id: number, { name, type }: Question): DecodedPacket | null => {
  try {
    const bounded = boundAnswer(bytes);
    if (!bounded) return null;
    const packet = decode(bounded);
    const [echoed] = packet.questions ?? [];
    const isMatching = packet.type === 'response' && packet.id === id && echoed?.type === type;
    return isMatching && echoed.name.toLowerCase() === name.toLowerCase() ? packet : null;
  } catch {
    return null;
  }
};

export type DnsReply =
  /** With any response code. */
  { readonly kind: 'answer'; readonly packet: DecodedPacket } | { readonly kind: 'failed'; readonly reason: string };

interface Query {
  readonly address: string;
  readonly port: number;
  readonly question: Question;
  readonly id: number;
  readonly packet: Buffer;
  readonly timeoutMs: Millis;
}

const failed = (reason: string): DnsReply => ({ kind: 'failed', reason });
const TIMED_OUT = failed('no answer in time');

const queryUdp = ({ address, port, question, id, packet, timeoutMs }: Query): Promise<DnsReply> =>
  new Promise((resolve) => {
    const socket = createSocket(isIPv6(address) ? 'udp6' : 'udp4');
    const end = (reply: DnsReply) => {
      clearTimeout(timer);
      socket.close();
      socket.removeAllListeners();
      resolve(reply);
    };
    const timer = setTimeout(() => end(TIMED_OUT), timeoutMs);
    socket.on('error', (error) => end(failed(error.message)));
    socket.on('message', (bytes) => {
      const answer = readAnswer(bytes, id, question);
      if (answer) end({ kind: 'answer', packet: answer });
    });
    // A connected socket receives packets of this server only.
    socket.on('connect', () => socket.send(packet));
    socket.connect(port, address);
  });

const queryTcp = ({ address, port, question, id, packet, timeoutMs }: Query): Promise<DnsReply> =>
  new Promise((resolve) => {
    const socket = connect(port, address);
    let read = Buffer.alloc(0);
    const end = (reply: DnsReply) => {
      clearTimeout(timer);
      socket.destroy();
      resolve(reply);
    };
    const timer = setTimeout(() => end(TIMED_OUT), timeoutMs);
    socket.on('error', (error) => end(failed(error.message)));
    socket.on('close', () => end(failed('the connection closed')));
    socket.on('data', (chunk) => {
      // The first two octets are the length.
      read = Buffer.concat([read, chunk]);
      const size = read.length < 2 ? Number.POSITIVE_INFINITY : read.readUInt16BE(0);
      if (read.length >= 2 && size > MAX_ANSWER_BYTES) return end(failed(`an answer of ${size} octets`));
      if (read.length < size + 2) return;
      const answer = readAnswer(read.subarray(2, size + 2), id, question);
      end(answer ? { kind: 'answer', packet: answer } : failed('no answer to the question'));
    });
    socket.on('connect', () => {
      const size = Buffer.alloc(2);
      size.writeUInt16BE(packet.length);
      socket.write(Buffer.concat([size, packet]));
    });
  });

/**
 * @param server as "127.0.0.1:5353", "::1" or "[::1]:53" @returns the response with any code, or the reason why none
 *   arrived
 */
export const queryDns = async (server: string, question: Question, timeoutMs: Millis): Promise<DnsReply> => {
  try {
    const id = randomInt(0x10000);
    const query = { ...splitServer(server), question, id, packet: encode(toPacket(question, id)), timeoutMs };
    const reply = await queryUdp(query);
    return reply.kind === 'answer' && reply.packet.flag_tc ? await queryTcp(query) : reply;
  } catch (error) {
    // A name that is too long to encode, or an address that no socket accepts.
    return failed(messageOf(error));
  }
};

/** One DNS question to one server: by UDP, and by TCP where the answer is too long for that (RFC 7766). */

import { randomInt } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { connect, isIPv6 } from 'node:net';
import { AUTHENTIC_DATA, type DecodedPacket, decode, encode, RECURSION_DESIRED } from 'dns-packet';
import type { Millis } from '../../kernel/clock.ts';

export interface Question {
  readonly name: string;
  readonly type: 'MX' | 'A' | 'AAAA' | 'TLSA';
}

const DNS_PORT = 53;
/** What passes without fragments: the DNS flag day of 2020. */
const UDP_BYTES = 1232;

const splitServer = (server: string): { address: string; port: number } => {
  if (isIPv6(server)) return { address: server, port: DNS_PORT };
  const { address, port } = /^\[?(?<address>[^\]]*?)\]?(?::(?<port>\d+))?$/.exec(server)?.groups ?? {};
  return { address: address ?? server, port: port ? Number(port) : DNS_PORT };
};

/** RFC 6840 section 5.7: the AD bit asks for the verdict, without the signatures that DO would bring. */
const packetOf = ({ name, type }: Question, id: number) => ({
  type: 'query' as const,
  id,
  flags: RECURSION_DESIRED | AUTHENTIC_DATA,
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

/** Null where the bytes are no answer to the question: whoever sent them, they are passed over. */
const readAnswer = (bytes: Buffer, id: number, { name, type }: Question): DecodedPacket | null => {
  try {
    const packet = decode(bytes);
    const [asked] = packet.questions ?? [];
    const isOurs = packet.type === 'response' && packet.id === id && asked?.type === type;
    return isOurs && asked.name.toLowerCase() === name.toLowerCase() ? packet : null;
  } catch {
    return null;
  }
};

interface Asking {
  readonly address: string;
  readonly port: number;
  readonly question: Question;
  readonly id: number;
  readonly packet: Buffer;
  readonly timeoutMs: Millis;
}

const late = () => new Error('no answer in time');

const overUdp = ({ address, port, question, id, packet, timeoutMs }: Asking): Promise<DecodedPacket | Error> =>
  new Promise((resolve) => {
    const socket = createSocket(isIPv6(address) ? 'udp6' : 'udp4');
    const end = (how: DecodedPacket | Error) => {
      clearTimeout(timer);
      socket.close();
      socket.removeAllListeners();
      resolve(how);
    };
    const timer = setTimeout(() => end(late()), timeoutMs);
    socket.on('error', end);
    socket.on('message', (bytes) => {
      const answer = readAnswer(bytes, id, question);
      if (answer) end(answer);
    });
    // Connected, so that nobody else's packets are taken.
    socket.on('connect', () => socket.send(packet));
    socket.connect(port, address);
  });

const overTcp = ({ address, port, question, id, packet, timeoutMs }: Asking): Promise<DecodedPacket | Error> =>
  new Promise((resolve) => {
    const socket = connect(port, address);
    let read = Buffer.alloc(0);
    const end = (how: DecodedPacket | Error) => {
      clearTimeout(timer);
      socket.destroy();
      resolve(how);
    };
    const timer = setTimeout(() => end(late()), timeoutMs);
    socket.on('error', end);
    socket.on('close', () => end(new Error('the connection closed')));
    socket.on('data', (chunk) => {
      // Two octets say how many follow: 64 KiB at most.
      read = Buffer.concat([read, chunk]);
      const size = read.length < 2 ? Number.POSITIVE_INFINITY : read.readUInt16BE(0);
      if (read.length < size + 2) return;
      end(readAnswer(read.subarray(2, size + 2), id, question) ?? new Error('no answer to the question'));
    });
    socket.on('connect', () => {
      const size = Buffer.alloc(2);
      size.writeUInt16BE(packet.length);
      socket.write(Buffer.concat([size, packet]));
    });
  });

/** @param server as "127.0.0.1:5353", "::1" or "[::1]:53" @returns the answer whatever its code, or why there is none */
export const queryDns = async (
  server: string,
  question: Question,
  timeoutMs: Millis,
): Promise<DecodedPacket | Error> => {
  try {
    const id = randomInt(0x10000);
    const asking = { ...splitServer(server), question, id, packet: encode(packetOf(question, id)), timeoutMs };
    const answer = await overUdp(asking);
    return answer instanceof Error || !answer.flag_tc ? answer : await overTcp(asking);
  } catch (error) {
    // A name that no packet can hold.
    return error instanceof Error ? error : new Error(String(error));
  }
};

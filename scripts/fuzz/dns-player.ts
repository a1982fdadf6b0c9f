/** Sends DNS packets to the daemon, over UDP and TCP. */

import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import net from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { HANG_MS } from './smtp-player.ts';

/** Time for the answers to a burst. */
const BURST_MS = 20;
const quiet = (): undefined => undefined;

/** @returns the codes of the answers that came */
export const playUdp = async (port: number, packets: readonly Buffer[]): Promise<number[]> => {
  const socket = createSocket('udp4');
  const codes: number[] = [];
  socket.on('error', quiet);
  socket.on('message', (answer) => codes.push((answer[3] ?? 0) & 0xf));
  for (const packet of packets) socket.send(packet, port, '127.0.0.1', quiet);
  await delay(BURST_MS);
  socket.close();
  return codes;
};

export interface PlayedTcp {
  codes: number[];
  /** Whether the connection was still open so long after the client ended it. */
  isStuck: boolean;
}

const framed = (packet: Buffer): Buffer => {
  const size = Buffer.alloc(2);
  size.writeUInt16BE(packet.length);
  return Buffer.concat([size, packet]);
};

/** @param raw octets behind the packets, without a length of their own */
export const playTcp = async (port: number, packets: readonly Buffer[], raw: Buffer): Promise<PlayedTcp> => {
  const socket = net.connect({ host: '127.0.0.1', port, allowHalfOpen: true });
  let read = Buffer.alloc(0);
  socket.on('error', quiet);
  socket.on('data', (chunk) => {
    read = Buffer.concat([read, chunk]);
  });
  const closed = Promise.race([once(socket, 'close'), once(socket, 'end')]).catch(quiet);
  socket.end(Buffer.concat([...packets.map(framed), raw]));
  const isStuck = (await Promise.race([closed, delay(HANG_MS).then(() => 'late')])) === 'late';
  socket.destroy();
  const codes: number[] = [];
  while (read.length >= 14 && read.length >= read.readUInt16BE(0) + 2) {
    codes.push((read[5] ?? 0) & 0xf);
    read = read.subarray(read.readUInt16BE(0) + 2);
  }
  return { codes, isStuck };
};
